import { asObject, asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { Cache } from '../limits/cache.ts';
import type { Spend } from '../fhirpath/evaluate/pattern.ts';
import type { CodeSystem } from './code-system.ts';
import { createFindSystem } from './concepts.ts';
import { grammars, grammarSets } from './grammars.ts';
import type { TerminologySource } from './source.ts';
import { compileFilter } from './value-set-filter.ts';

/** The questions that loaded ValueSets and CodeSystems answer. */
export interface Terminology {
  /** Whether a code is in a ValueSet; undefined if that is undecided. Without a system any matches. */
  contains(valueSet: string, code: string, system: string | undefined): boolean | undefined;
  /** Whether a system has a code; undefined if the system is not loaded completely. */
  has(system: string, code: string): boolean | undefined;
  /** Decides with loaded definitions only. */
  containsHere(valueSet: string, code: string, system: string | undefined): boolean | undefined;
  /** True if a terminology server was asked for what `contains` leaves undecided, and did not answer. */
  isUnanswered(valueSet: string, code: string, system: string | undefined): boolean;
  /** Whether a URL is that of a loaded ValueSet. */
  isValueSet(url: string): boolean;
  /** Some codes of a ValueSet, for suggestions. */
  examples(valueSet: string): readonly string[];
}

/**
 * The most ValueSets that are kept: more than a validation of all types of R4 needs, and not all that a
 * client may ask for.
 */
const most = 400;

/**
 * Terminology from definitions; each ValueSet and CodeSystem is read at its first use. `spend` gets the cost of
 * patterns, and may throw TooCostly, as answers then do.
 * https://hl7.org/fhir/R4/valueset.html#compositions
 */
export function createTerminology(definitions: Pick<TerminologySource, 'find'>, spend?: Spend): Terminology {
  const sets = new Cache<Contains>(most);
  const listed = new Cache<readonly string[]>(most);

  const find = createFindSystem(definitions);
  const system = (url: string): CodeSystem | undefined => find(url)?.codes;
  const set = (canonical: string): Contains | undefined => {
    const kept = sets.get(canonical);
    if (kept !== undefined) return kept;
    const definition = definitions.find('ValueSet', canonical);
    if (definition === undefined) {
      const url = grammarSets.get(canonical);
      if (url !== undefined) return compileSystem(url, {}, { system, set, spend });
      const contained = containedSet(canonical, definitions);
      if (contained === undefined) return undefined;
      const compiled = compileSet(contained, { system, set, spend });
      sets.put(canonical, compiled);
      return compiled;
    }
    const compiled = once(compileSet(definition.resource(), { system, set, spend }));
    sets.put(canonical, compiled);
    return compiled;
  };

  const contains = (valueSet: string, code: string, given: string | undefined): boolean | undefined =>
    set(valueSet)?.(code, given);

  return {
    contains,
    containsHere: contains,
    isUnanswered: () => false,
    isValueSet: url => definitions.find('ValueSet', url) !== undefined,
    has: (url, code) => {
      const grammar = grammars.get(url);
      if (grammar !== undefined) return grammar(code);
      const known = system(url);
      return known === undefined
        ? undefined
        : known.concept(code) !== undefined
          ? true
          : known.complete
            ? false
            : undefined;
    },
    examples: valueSet => {
      let codes = listed.get(valueSet);
      if (codes === undefined) {
        const resource = definitions.find('ValueSet', valueSet)?.resource() ?? {};
        codes = codesOf(resource, { system, set, spend });
        listed.put(valueSet, codes);
      }
      return codes;
    },
  };
}

/** `https://…/profile#id`: a ValueSet that a profile contains. */
function containedSet(canonical: string, definitions: Pick<TerminologySource, 'find'>): JsonObject | undefined {
  const at = canonical.indexOf('#');
  if (at <= 0) return undefined;
  const owner = definitions.find('StructureDefinition', canonical.slice(0, at));
  const id = canonical.slice(at + 1);
  return objectsOf(owner?.resource()['contained']).find(one => one['resourceType'] === 'ValueSet' && one['id'] === id);
}

/** Whether a code is included; undefined if that is undecided. */
type Contains = (code: string, system: string | undefined) => boolean | undefined;
type FindSystem = (url: string) => CodeSystem | undefined;
type FindSet = (canonical: string) => Contains | undefined;

interface Loaded {
  readonly system: FindSystem;
  readonly set: FindSet;
  readonly spend: Spend | undefined;
}

function compileSet(valueSet: JsonObject, loaded: Loaded): Contains {
  const compose = asObject(valueSet['compose']);
  const includes = objectsOf(compose['include']).map(part => compilePart(part, loaded));
  const excludes = objectsOf(compose['exclude']).map(part => compilePart(part, loaded));
  const expansion = expanded(valueSet);
  return (code, given) => {
    const composed =
      includes.length === 0 ? undefined : minus(any(includes, code, given), () => any(excludes, code, given));
    return composed ?? expansion?.(code, given);
  };
}

/** Decides nothing while it is asked already: a set that includes itself, also through others, adds no code by that. */
function once(contains: Contains): Contains {
  let isAsked = false;
  return (code, given) => {
    if (isAsked) return undefined;
    isAsked = true;
    try {
      return contains(code, given);
    } finally {
      isAsked = false;
    }
  };
}

/** One of the parts must contain the code. */
function any(parts: readonly Contains[], code: string, system: string | undefined): boolean | undefined {
  let result: boolean | undefined = false;
  for (const part of parts) {
    const found = part(code, system);
    if (found === true) return true;
    if (found === undefined) result = undefined;
  }
  return result;
}

function minus(included: boolean | undefined, excluded: () => boolean | undefined): boolean | undefined {
  if (included === false) return false;
  const out = excluded();
  return out === true ? false : out === undefined ? undefined : included;
}

/** One include or exclude: all of its conditions apply. */
function compilePart(part: JsonObject, loaded: Loaded): Contains {
  const url = asString(part['system']);
  const conditions: Contains[] = stringsOf(part['valueSet']).map(
    canonical => (code, given) => loaded.set(canonical)?.(code, given),
  );
  if (url !== undefined) conditions.unshift(compileSystem(url, part, loaded));
  return (code, given) => {
    let result: boolean | undefined = conditions.length > 0 ? true : undefined;
    for (const condition of conditions) {
      const holds = condition(code, given);
      if (holds === false) return false;
      if (holds === undefined) result = undefined;
    }
    return result;
  };
}

function compileSystem(url: string, part: JsonObject, { system, spend }: Loaded): Contains {
  const concepts = objectsOf(part['concept']);
  if (concepts.length > 0) {
    const codes = new Set(concepts.map(({ code }) => String(code)));
    const folded = new Set([...codes].map(code => code.toLowerCase()));
    return (code, given) =>
      (given === undefined || given === url) &&
      (codes.has(code) || (folded.has(code.toLowerCase()) && system(url)?.caseSensitive === false));
  }
  const filters = objectsOf(part['filter']).map(filter => compileFilter(filter, spend));
  return (code, given) => {
    if (given !== undefined && given !== url) return false;
    const grammar = grammars.get(url);
    if (grammar !== undefined) return filters.length > 0 ? undefined : grammar(code);
    const known = system(url);
    if (known === undefined) return undefined;
    const concept = known.concept(code);
    if (concept === undefined) return known.complete ? false : undefined;
    let result: boolean | undefined = true;
    for (const filter of filters) {
      const holds = filter(concept, known);
      if (holds === false) return false;
      if (holds === undefined) result = undefined;
    }
    return result;
  };
}

/** The codes of a published expansion, if it is complete. https://hl7.org/fhir/R4/valueset.html#expansion */
function expanded(valueSet: JsonObject): Contains | undefined {
  const expansion = asObject(valueSet['expansion']);
  const contains = objectsOf(expansion['contains']);
  if (contains.length === 0) return undefined;
  const pairs = new Set<string>();
  const codes = new Set<string>();
  const read = (entries: readonly JsonObject[]): void => {
    for (const entry of entries) {
      const code = asString(entry['code']);
      if (entry['abstract'] !== true && code !== undefined) {
        pairs.add(`${String(entry['system'])}|${code}`);
        codes.add(code);
      }
      read(objectsOf(entry['contains']));
    }
  };
  read(contains);
  const { total } = expansion;
  const whole = typeof total !== 'number' || total <= pairs.size;
  return (code, given) =>
    (given === undefined ? codes.has(code) : pairs.has(`${given}|${code}`)) || (whole ? false : undefined);
}

/** The codes that a ValueSet lists, and the first of whole systems that it includes, without those that it excludes. */
function codesOf(valueSet: JsonObject, loaded: Loaded): readonly string[] {
  const compose = asObject(valueSet['compose']);
  const excludes = objectsOf(compose['exclude']).map(part => compilePart(part, loaded));
  return objectsOf(compose['include']).flatMap(include => {
    const url = String(include['system']);
    const listed = objectsOf(include['concept']).map(({ code }) => String(code));
    const whole = include['filter'] === undefined ? (loaded.system(url)?.codes.slice(0, 1000) ?? []) : [];
    return (listed.length > 0 ? listed : whole).filter(code => any(excludes, code, url) !== true);
  });
}
