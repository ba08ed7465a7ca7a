import type { JsonObject } from '../fhir/json-object.ts';

/** Codes by their system. */
export type Codes = readonly { readonly system: string; readonly codes: readonly string[] }[];

/** All codes of a value set, or why they cannot be listed: a sentence without its point. */
export type Expansion = { readonly codes: Codes } | { readonly problem: string };

/** The value sets and the hierarchies of code systems that searches use. */
export interface Expansions {
  /** The codes of a value set, by canonical. https://hl7.org/fhir/R4/valueset.html#expansion */
  valueSet(canonical: string): Expansion;
  /** The codes of a ValueSet that is not loaded, which may include loaded ones. */
  resource(valueSet: JsonObject): Expansion;
  /**
   * A concept with those that are subsumed by it (`below`), or that it is subsumed by (`above`).
   * https://hl7.org/fhir/R4/codesystem.html#subsumption
   */
  related(system: string, code: string, how: 'above' | 'below'): Expansion;
}

/** Most codes of an expansion. */
export const MOST_CODES = 10_000;

/** Budget of the patterns of a ValueSet in a call, in steps of some 2 µs. */
export const CALL_STEPS = 50_000;

/** The problem of a set whose patterns exceed the budget. */
export const PATTERNS_TOO_COSTLY = 'its filters with `regex` take too long';

/** Codes while they are collected: the systems, each with its codes. */
export type CodeMap = ReadonlyMap<string, ReadonlySet<string>>;

export const codesOf = (map: CodeMap): Codes =>
  [...map].flatMap(([system, codes]) => (codes.size === 0 ? [] : [{ system, codes: [...codes] }]));

/** The number of codes of all systems. */
export const countOf = (map: CodeMap): number => [...map.values()].reduce((sum, { size }) => sum + size, 0);

export function union(maps: readonly CodeMap[]): CodeMap {
  const all = new Map<string, Set<string>>();
  for (const map of maps)
    for (const [system, codes] of map) {
      const known = all.get(system) ?? new Set();
      all.set(system, known);
      for (const code of codes) known.add(code);
    }
  return all;
}

/** The codes of the first that are in the other, or that are not in it. */
export function restrict(map: CodeMap, other: CodeMap, to: 'common' | 'missing'): CodeMap {
  return new Map(
    [...map].map(([system, codes]) => {
      const known = other.get(system);
      return [system, new Set([...codes].filter(code => (known?.has(code) === true) === (to === 'common')))];
    }),
  );
}
