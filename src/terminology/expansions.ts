import { Cache } from '../limits/cache.ts';
import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { Budget } from '../fhirpath/evaluate/environment.ts';
import { TooCostly } from '../fhirpath/evaluate/errors.ts';
import { isBelow } from './code-system.ts';
import type { CodeSystem } from './code-system.ts';
import { createFindSystem } from './concepts.ts';
import { grammars } from './grammars.ts';
import { compileFilter } from './value-set-filter.ts';
import { CALL_STEPS, MOST_CODES, PATTERNS_TOO_COSTLY, codesOf, countOf, restrict, union } from './expansion.ts';
import type { CodeMap, Expansion, Expansions } from './expansion.ts';
import { publishedCodes } from './published.ts';
import type { TerminologySource } from './source.ts';

/**
 * Expands loaded ValueSets and CodeSystems at their first use, completely or not at all. The expansions used last are
 * cached; other definitions have other expansions.
 */
export function createExpansions(definitions: Pick<TerminologySource, 'find'>): Expansions {
  const known = new Cache<Expansion>(most);
  const cached = (key: string, make: () => CodeMap): Expansion => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = tryExpand(make);
    // Names that clients make up are not cached.
    if ('codes' in made) known.put(key, made);
    return made;
  };
  const source = sourceOf(definitions);
  return {
    valueSet: canonical => cached(canonical, () => expandSet(canonical, source(patternSteps.loaded), [])),
    resource: valueSet => tryExpand(() => expandResource(valueSet, 'in the call', source(patternSteps.call), [])),
    related: (system, code, how) =>
      cached(JSON.stringify([system, code, how]), () =>
        relatedTo(completeSystem(system, source(0)), system, code, how),
      ),
  };
}

const most = 50;

/** Budgets of the patterns of one expansion, in steps of some 2 µs. */
const patternSteps = { loaded: 1_000_000, call: CALL_STEPS };

/** Why something cannot be expanded. */
class NotExpanded extends Error {}

interface ExpansionSource {
  readonly definitions: Pick<TerminologySource, 'find'>;
  /** A loaded CodeSystem; undefined without one. */
  readonly system: (url: string) => CodeSystem | undefined;
  /** For patterns. */
  readonly budget: Budget;
}

/** Sources with a budget of their own each. */
function sourceOf(definitions: Pick<TerminologySource, 'find'>): (steps: number) => ExpansionSource {
  const find = createFindSystem(definitions);
  return steps => ({ definitions, budget: new Budget(steps), system: url => find(url)?.codes });
}

function tryExpand(make: () => CodeMap): Expansion {
  try {
    const made = make();
    if (countOf(made) > MOST_CODES) return { problem: `it has more than ${MOST_CODES.toLocaleString('en')} codes` };
    return { codes: codesOf(made) };
  } catch (error) {
    if (error instanceof NotExpanded) return { problem: error.message };
    if (error instanceof TooCostly) return { problem: PATTERNS_TOO_COSTLY };
    throw error;
  }
}

/** `within`: the value sets that include this one. */
function expandSet(canonical: string, source: ExpansionSource, within: readonly string[]): CodeMap {
  if (within.includes(canonical)) throw new NotExpanded(`the ValueSet \`${canonical}\` includes itself`);
  const definition = source.definitions.find('ValueSet', canonical);
  if (definition === undefined) throw new NotExpanded(`no ValueSet \`${canonical}\` is loaded`);
  return expandResource(definition.resource(), `\`${canonical}\``, source, [...within, canonical]);
}

/** `named` is its name in problems. */
function expandResource(
  valueSet: JsonObject,
  named: string,
  source: ExpansionSource,
  within: readonly string[],
): CodeMap {
  const { include, exclude } = asObject(valueSet['compose']);
  const expand = (part: JsonObject): CodeMap => expandPart(part, source, within);
  try {
    if (objectsOf(include).length === 0) throw new NotExpanded(`the ValueSet ${named} includes nothing`);
    const included = union(objectsOf(include).map(expand));
    return restrict(included, union(objectsOf(exclude).map(expand)), 'missing');
  } catch (error) {
    const published = error instanceof NotExpanded ? publishedCodes(valueSet) : undefined;
    if (published !== undefined) return published;
    throw error;
  }
}

/** One include or exclude: what its conditions have in common. https://hl7.org/fhir/R4/valueset.html#compositions */
function expandPart(part: JsonObject, source: ExpansionSource, within: readonly string[]): CodeMap {
  const url = asString(part['system']);
  const sets = stringsOf(part['valueSet']).map(canonical => expandSet(canonical, source, within));
  const maps = url === undefined ? sets : [expandSystem(url, part, source), ...sets];
  const [first, ...others] = maps;
  if (first === undefined) throw new NotExpanded('a part of it has neither a system nor a ValueSet');
  return others.reduce((common, other) => restrict(common, other, 'common'), first);
}

function expandSystem(url: string, part: JsonObject, source: ExpansionSource): CodeMap {
  const listed = objectsOf(part['concept']).map(({ code }) => String(code));
  if (listed.length > 0) return new Map([[url, new Set(listed)]]);
  const system = completeSystem(url, source);
  const filters = objectsOf(part['filter']).map(filter => compileFilter(filter, steps => source.budget.spend(steps)));
  const codes = system.codes.filter(code => {
    const concept = system.concept(code);
    return concept !== undefined && filters.every(filter => passes(filter(concept, system), url));
  });
  return new Map([[url, new Set(codes)]]);
}

/** The result of a filter, if it has one. */
function passes(result: boolean | undefined, url: string): boolean {
  if (result === undefined) throw new NotExpanded(`a filter of the codes of \`${url}\` cannot be evaluated here`);
  return result;
}

function completeSystem(url: string, source: ExpansionSource): CodeSystem {
  if (grammars.has(url)) throw new NotExpanded(`the codes of \`${url}\` are defined by a grammar and cannot be listed`);
  const system = source.system(url);
  if (system === undefined) throw new NotExpanded(`no CodeSystem \`${url}\` is loaded`);
  if (!system.complete) throw new NotExpanded(`the CodeSystem \`${url}\` is not loaded completely`);
  return system;
}

function relatedTo(system: CodeSystem, url: string, code: string, how: 'above' | 'below'): CodeMap {
  const concept = system.concept(code);
  if (concept === undefined) throw new NotExpanded(`the CodeSystem \`${url}\` has no code \`${code}\``);
  const codes = system.codes.filter(other => {
    const one = system.concept(other);
    if (one === undefined) return false;
    return how === 'below' ? isBelow(one, concept.code, system) : isBelow(concept, one.code, system);
  });
  return new Map([[url, new Set(codes)]]);
}
