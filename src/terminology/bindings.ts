import { Cache } from '../limits/cache.ts';
import type { CodeSystem } from './code-system.ts';
import { grammars } from './grammars.ts';
import type { TerminologyService } from './service.ts';
import { drain, emptyListing } from './listing.ts';
import type { ValueSet } from './value-set.ts';

/** The questions about codes of records that loaded ValueSets and CodeSystems answer. */
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

/** Most value sets and systems that are kept, and most codes of a set for suggestions. */
const [mostSets, mostExamples] = [400, 1_000];

/** Answers the questions from a service. */
export function createTerminology(service: TerminologyService): Terminology {
  const listed = new Cache<readonly string[]>(mostSets);
  const sets = new Cache<ValueSet>(mostSets);
  const systems = new Cache<CodeSystem>(mostSets);
  const setOf = (canonical: string): ValueSet | undefined => {
    const set = service.set(canonical);
    if (set !== undefined) sets.put(canonical, set);
    return set;
  };
  const systemOf = (url: string): CodeSystem | undefined => {
    const system = service.system(url, undefined);
    if (system !== undefined) systems.put(url, system);
    return system;
  };
  const contains = (valueSet: string, code: string, system: string | undefined): boolean | undefined =>
    (sets.get(valueSet) ?? setOf(valueSet))?.contains(code, system);
  return {
    contains,
    containsHere: contains,
    isUnanswered: () => false,
    isValueSet: url => service.source.find('ValueSet', url) !== undefined,
    has: (url, code) => {
      const grammar = grammars.get(url);
      if (grammar !== undefined) return grammar(code);
      const known = systems.get(url) ?? systemOf(url);
      if (known === undefined) return undefined;
      if (known.concept(code) !== undefined) return true;
      return known.complete ? false : undefined;
    },
    examples: valueSet => {
      const kept = listed.get(valueSet);
      if (kept !== undefined) return kept;
      const codes = examplesOf(valueSet, service);
      listed.put(valueSet, codes);
      return codes;
    },
  };
}

function examplesOf(valueSet: string, service: TerminologyService): readonly string[] {
  const set = service.set(valueSet);
  if (set === undefined) return [];
  const listing = emptyListing(mostExamples);
  const { members } = drain(set.list(listing));
  return (members ?? [...listing.done.values()].flat()).map(({ code }) => code);
}
