import type { JsonObject } from '../fhir/json-object.ts';
import { TooCostly } from '../fhirpath/evaluate/errors.ts';
import { matchesPattern } from '../fhirpath/evaluate/pattern.ts';
import type { Spend } from '../fhirpath/evaluate/pattern.ts';
import { codesBelow, isBelow } from './code-system.ts';
import { codesOfEcl } from './ecl.ts';
import type { CodeSelection, CodeSystem, Concept } from './code-system.ts';

/** Whether a concept passes a filter; undefined if the loaded definitions do not decide it. */
export type Filter = (concept: Concept, system: CodeSystem) => boolean | undefined;

/**
 * A filter of a ValueSet's include or exclude; `spend` gets the cost of patterns, and may throw TooCostly, as the
 * filter then does. https://hl7.org/fhir/R4/valueset-filter-operator.html
 */
export function compileFilter(filter: JsonObject, spend?: Spend): Filter {
  const property = String(filter['property']);
  const value = String(filter['value']);
  const whole =
    (decide: (concept: Concept, system: CodeSystem) => boolean): Filter =>
    (concept, system) =>
      system.complete ? decide(concept, system) : undefined;
  /** Whether a value of the property of a concept passes a test, if the system has that property. */
  const byProperty = (test: (one: string) => boolean, isWanted = true): Filter =>
    whole((concept, system) => {
      if (!system.hasProperty(property)) return false;
      const own = system.stored;
      if (own === undefined || inMemory.has(property)) return valuesOf(concept, property).some(test) === isWanted;
      return own.having(property, test, `${String(filter['op'])} ${value}`).has(concept.code) === isWanted;
    });
  const problem = filterProblem(filter);
  if (problem !== undefined) return () => undefined;
  if (isExpression(filter)) return expressionFilter(value);
  const isOneOf = belowOf(value);
  switch (filter['op']) {
    case 'is-a':
      return whole(isOneOf);
    case 'descendent-of':
      return whole((concept, system) => concept.code !== value && isOneOf(concept, system));
    case 'is-not-a':
      return whole((concept, system) => !isOneOf(concept, system));
    case 'generalizes':
      return whole((concept, system) => {
        const other = system.concept(value);
        return other !== undefined && isBelow(other, concept.code, system);
      });
    case 'child-of':
      return whole(concept => concept.parents.includes(value));
    case 'descendent-leaf':
      return whole(
        (concept, system) => concept.code !== value && concept.children.length === 0 && isOneOf(concept, system),
      );
    case 'in':
      return byProperty(one => splitCodes(value).includes(one));
    case 'not-in':
      return byProperty(one => splitCodes(value).includes(one), false);
    case 'exists':
      return byProperty(() => true, value === 'true');
    case 'regex':
      return (concept, system) => {
        if (!system.complete || !system.hasProperty(property)) return undefined;
        const pattern = `^(?:${value})$`;
        if (system.stored === undefined || inMemory.has(property))
          return someMatches(valuesOf(concept, property), pattern, spend);
        const passes = (one: string): boolean => someMatches([one], pattern, spend) === true;
        return system.stored.having(property, passes, `regex ${value}`).has(concept.code);
      };
    default:
      if (property === 'concept' || property === 'code') return concept => concept.code === value;
      return (concept, system) => {
        if (!system.hasProperty(property)) return undefined;
        if (system.stored === undefined || inMemory.has(property)) return valuesOf(concept, property).includes(value);
        return system.stored.having(property, one => one === value, `= ${value}`).has(concept.code);
      };
  }
}

/** Properties that a system in the store has in memory too. */
const inMemory: ReadonlySet<string> = new Set(['concept', 'code', 'parent', 'child', 'inactive']);

const operators: ReadonlySet<unknown> = new Set([
  '=',
  'is-a',
  'descendent-of',
  'is-not-a',
  'regex',
  'in',
  'not-in',
  'generalizes',
  'exists',
  'child-of',
  'descendent-leaf',
]);

/** Operators that are about the hierarchy, whatever their property is called. */
const ofHierarchy: ReadonlySet<unknown> = new Set([
  'is-a',
  'descendent-of',
  'is-not-a',
  'generalizes',
  'child-of',
  'descendent-leaf',
]);

/** Why a filter cannot be evaluated, as a part of a sentence; undefined if it can. */
export function filterProblem(filter: JsonObject, system?: CodeSystem): string | undefined {
  const { property, op, value } = filter;
  if (typeof value !== 'string' || value === '') return `its filter of \`${String(property)}\` has no value`;
  if (!operators.has(op)) return `its filter has the unknown operator \`${String(op)}\``;
  if (
    system === undefined ||
    ofHierarchy.has(op) ||
    (isExpression(filter) && system.url === snomed) ||
    system.hasProperty(String(property))
  )
    return undefined;
  return `its filter is of \`${String(property)}\`, which is no property of \`${system.url}\``;
}

const snomed = 'http://snomed.info/sct';

/** Whether a filter is an expression of SNOMED CT. https://terminology.hl7.org/SNOMEDCT.html */
const isExpression = ({ property, op }: JsonObject): boolean => property === 'constraint' && op === '=';

function expressionFilter(text: string): Filter {
  let known: { readonly of: CodeSystem; readonly codes: ReadonlySet<string> } | undefined;
  return (concept, system) => {
    if (system.url !== snomed || !system.complete) return undefined;
    if (known?.of !== system) known = { of: system, codes: codesOfEcl(text, system) };
    return known.codes.has(concept.code);
  };
}

/** Whether concepts are a code or below it: by their ancestors, and where many are asked by the list of those below. */
function belowOf(code: string): (concept: Concept, system: CodeSystem) => boolean {
  let asked = 0;
  let of: CodeSystem | undefined;
  let codes: CodeSelection = new Set();
  return (concept, system) => {
    asked += 1;
    if (asked <= few) return isBelow(concept, code, system);
    if (of !== system) [of, codes] = [system, codesBelow(code, system)];
    return codes.has(concept.code);
  };
}

const few = 100;

/** Undefined for a pattern that is invalid, too large, or not implemented here. */
function someMatches(values: readonly string[], pattern: string, spend: Spend | undefined): boolean | undefined {
  try {
    return values.some(one => matchesPattern(one, pattern, spend));
  } catch (error) {
    if (error instanceof TooCostly && error.message === '') throw error; // the budget is exhausted
    return undefined;
  }
}

/** The values of a property, as texts. */
export function valuesOf(concept: Concept, property: string): readonly string[] {
  switch (property) {
    case 'concept':
    case 'code':
      return [concept.code];
    case 'parent':
      return concept.parents;
    case 'child':
      return concept.children;
    case 'display':
      return concept.display === undefined ? [] : [concept.display];
    case 'definition':
      return concept.definition === undefined ? [] : [concept.definition];
    case 'inactive':
      return [String(concept.inactive)];
    default:
      return concept.properties
        .filter(({ code }) => code === property)
        .flatMap(one =>
          Object.keys(one)
            .filter(key => key.startsWith('value'))
            .map(key => printed(one[key])),
        );
  }
}

const printed = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'code' in value ? String(value.code) : String(value);

const splitCodes = (value: string): readonly string[] => value.split(',').map(code => code.trim());

/** The codes of a system in the store that pass a filter; undefined if it has to be tried on each concept. */
export function selectionOf({ property, op, value }: JsonObject, system: CodeSystem): CodeSelection | undefined {
  const [name, text] = [String(property), String(value)];
  const { stored } = system;
  if (stored === undefined) return undefined;
  if (op === 'is-a') return stored.below(text);
  if (inMemory.has(name) || !system.hasProperty(name)) return undefined;
  if (op === '=') return stored.having(name, one => one === text, `= ${text}`);
  if (op === 'in') return stored.having(name, one => splitCodes(text).includes(one), `in ${text}`);
  return op === 'exists' && text === 'true' ? stored.having(name, () => true, 'exists true') : undefined;
}
