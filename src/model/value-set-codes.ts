import type { Definitions } from '../definitions/definitions.ts';
import { asObject, asString, objectsOf, stringsOf } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';

/** The codes of a ValueSet that can be counted. */
export interface ValueSetCodes {
  /** Each code once, in the order of the definitions. */
  readonly codes: ReadonlySet<string>;
  /** Of any system where none is given. */
  has(code: string, system?: string): boolean;
}

/**
 * The codes of a ValueSet: those that it lists, those of whole code systems whose concepts are loaded, of other ValueSets, or of
 * its expansion; undefined where it has more than what is loaded here (filters, systems without concepts).
 * https://hl7.org/fhir/R4/valueset.html#compositions
 */
export function valueSetCodes(canonical: string, definitions: Definitions): ValueSetCodes | undefined {
  const pairs = pairsOf(canonical, definitions, []);
  if (pairs === undefined) return undefined;
  const codes = new Set([...pairs].map(pair => pair.slice(pair.indexOf('|') + 1)));
  return {
    codes,
    has: (code, system) => (system === undefined ? codes.has(code) : pairs.has(`${system}|${code}`)),
  };
}

/** `system|code`; no system of R4 has a `|` in its URL. */
type Pairs = ReadonlySet<string>;

function pairsOf(canonical: string, definitions: Definitions, within: readonly string[]): Pairs | undefined {
  if (within.includes(canonical)) return undefined;
  const valueSet = definitions.find('ValueSet', canonical)?.resource();
  if (valueSet === undefined) return undefined;
  const compose = asObject(valueSet['compose']);
  const part = (include: JsonObject): Pairs | undefined => included(include, definitions, [...within, canonical]);
  const added = union(objectsOf(compose['include']).map(part));
  const taken = union(objectsOf(compose['exclude']).map(part));
  if (added !== undefined && added.size > 0 && taken !== undefined)
    return new Set([...added].filter(pair => !taken.has(pair)));
  const contains = objectsOf(asObject(valueSet['expansion'])['contains']);
  return contains.length === 0 ? undefined : new Set(expanded(contains));
}

const union = (all: readonly (Pairs | undefined)[]): Set<string> | undefined =>
  all.every(pairs => pairs !== undefined) ? new Set(all.flatMap(pairs => [...pairs])) : undefined;

/** What one include or exclude stands for: all of its conditions hold. */
function included(include: JsonObject, definitions: Definitions, within: readonly string[]): Pairs | undefined {
  if (include['filter'] !== undefined) return undefined;
  const system = asString(include['system']);
  const sets = stringsOf(include['valueSet']).map(canonical => pairsOf(canonical, definitions, within));
  if (system !== undefined) {
    const listed = objectsOf(include['concept']);
    const own = listed.length > 0 ? listed : conceptsOf(system, definitions);
    sets.unshift(own === undefined ? undefined : new Set(own.map(({ code }) => `${system}|${String(code)}`)));
  }
  const [first, ...others] = sets;
  if (first === undefined || others.includes(undefined)) return undefined;
  return new Set([...first].filter(pair => others.every(other => other?.has(pair))));
}

/** All concepts of a code system, those below others too; undefined where they are not all here. */
function conceptsOf(system: string, definitions: Definitions): readonly JsonObject[] | undefined {
  const codeSystem = definitions.find('CodeSystem', system)?.resource();
  if (codeSystem?.['content'] !== 'complete') return undefined;
  const all = (concepts: readonly JsonObject[]): readonly JsonObject[] =>
    concepts.flatMap(concept => [concept, ...all(objectsOf(concept['concept']))]);
  return all(objectsOf(codeSystem['concept']));
}

const expanded = (contains: readonly JsonObject[]): readonly string[] =>
  contains.flatMap(entry => [
    ...(entry['abstract'] === true ? [] : [`${String(entry['system'])}|${String(entry['code'])}`]),
    ...expanded(objectsOf(entry['contains'])),
  ]);
