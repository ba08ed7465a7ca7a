/** Codes by their system. */
export type Codes = readonly { readonly system: string; readonly codes: readonly string[] }[];

/** All codes of a value set, or why they cannot be listed: a sentence without its point. */
export type Expansion = { readonly codes: Codes } | { readonly problem: string };

/** The value sets and the hierarchies of code systems that searches use. */
export interface Expansions {
  /** The codes of a value set, by canonical. https://hl7.org/fhir/R4/valueset.html#expansion */
  valueSet(canonical: string): Expansion;
  /**
   * A concept with those that are subsumed by it (`below`), or that it is subsumed by (`above`).
   * https://hl7.org/fhir/R4/codesystem.html#subsumption
   */
  related(system: string, code: string, how: 'above' | 'below'): Expansion;
}

/** Most codes of an expansion in a search. */
export const MOST_CODES = 10_000;

/** Budget of the patterns of a ValueSet in a call, in steps of some 2 µs. */
export const CALL_STEPS = 50_000;

/** The problem of a set whose patterns exceed the budget. */
export const PATTERNS_TOO_COSTLY = 'its filters with `regex` take too long';

export function codesOf(members: readonly { readonly system: string; readonly code: string }[]): Codes {
  const bySystem = new Map<string, Set<string>>();
  for (const { system, code } of members) bySystem.set(system, (bySystem.get(system) ?? new Set()).add(code));
  return Array.from(bySystem, ([system, codes]) => ({ system, codes: [...codes] }));
}
