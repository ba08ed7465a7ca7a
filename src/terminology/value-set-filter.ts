import type { JsonObject } from '../fhir/json-object.ts';
import { isBelow } from './code-system.ts';
import type { CodeSystem, Concept } from './code-system.ts';
import { TooCostly } from '../fhirpath/evaluate/errors.ts';
import { matchesPattern } from '../fhirpath/evaluate/pattern.ts';
import type { Spend } from '../fhirpath/evaluate/pattern.ts';

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
  switch (filter['op']) {
    case 'is-a':
      return whole((concept, system) => isBelow(concept, value, system));
    case 'descendent-of':
      return whole((concept, system) => concept.code !== value && isBelow(concept, value, system));
    case 'is-not-a':
      return whole((concept, system) => !isBelow(concept, value, system));
    case 'generalizes':
      return whole((concept, system) => {
        const other = system.concept(value);
        return other !== undefined && isBelow(other, concept.code, system);
      });
    case 'in':
      return whole(concept => valuesOf(concept, property).some(one => splitCodes(value).includes(one)));
    case 'not-in':
      return whole(concept => !valuesOf(concept, property).some(one => splitCodes(value).includes(one)));
    case 'exists':
      return whole(concept => valuesOf(concept, property).length > 0 === (value === 'true'));
    case 'regex':
      return (concept, system) =>
        system.complete ? someMatches(valuesOf(concept, property), `^(?:${value})$`, spend) : undefined;
    case '=':
      if (property === 'concept' || property === 'code') return concept => concept.code === value;
      return (concept, system) =>
        system.complete && concept.properties.some(one => one['code'] === property)
          ? valuesOf(concept, property).includes(value)
          : undefined;
    default:
      return () => undefined;
  }
}

/** Undefined for a pattern that is invalid, too large, or not implemented here. */
function someMatches(values: readonly string[], pattern: string, spend: Spend | undefined): boolean | undefined {
  try {
    return values.some(one => matchesPattern(one, pattern, spend));
  } catch (error) {
    if (error instanceof TooCostly && error.message === '') throw error; // the budget is exhausted
    return undefined;
  }
}

function valuesOf(concept: Concept, property: string): readonly string[] {
  if (property === 'concept' || property === 'code') return [concept.code];
  if (property === 'parent') return concept.parents;
  return concept.properties
    .filter(({ code }) => code === property)
    .flatMap(one =>
      Object.keys(one)
        .filter(key => key.startsWith('value'))
        .map(key => printed(one[key])),
    );
}

const printed = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'code' in value ? String(value.code) : String(value);

const splitCodes = (value: string): readonly string[] => value.split(',').map(code => code.trim());
