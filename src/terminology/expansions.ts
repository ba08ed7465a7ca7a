import { Budget } from '../fhirpath/evaluate/environment.ts';
import { Cache } from '../limits/cache.ts';
import { codesBelow, isBelow } from './code-system.ts';
import { codesOf, MOST_CODES } from './expansion.ts';
import type { Expansion, Expansions } from './expansion.ts';
import { drain, emptyListing } from './listing.ts';
import type { CodeSet } from './expander.ts';
import type { DocumentPlace } from './large/layout.ts';
import { largeSystemsOf } from './large/registry.ts';
import { withReads } from './reads.ts';
import { createService } from './service.ts';
import type { TerminologyService } from './service.ts';
import { findById } from './source.ts';
import type { TerminologySource } from './source.ts';
import { NotExpanded } from './members.ts';
import { requireSystem } from './value-set.ts';

const tooMany: Expansion = { problem: `it has more than ${MOST_CODES.toLocaleString('en')} codes` };

/** Most expansions that are kept. */
const most = 50;

/** Budget of the patterns of one expansion, in steps of some 2 µs. */
const patternSteps = 1_000_000;

/** Expands ValueSets and hierarchies for searches, completely or not at all. The expansions used last are cached. */
export function createExpansions(service: TerminologyService): Expansions {
  const known = new Cache<Expansion>(most);
  const cached = (key: string, make: () => Expansion): Expansion => {
    const found = known.get(key) ?? make();
    // Names that clients make up are not cached.
    if ('codes' in found) known.put(key, found);
    return found;
  };
  return {
    valueSet: canonical => cached(canonical, () => expandSet(canonical, service)),
    related: (system, code, how) =>
      cached(JSON.stringify([system, code, how]), () => relatedTo(system, code, how, service)),
  };
}

function expandSet(named: string, { source, large }: TerminologyService): Expansion {
  const budget = new Budget(patternSteps);
  const canonical = canonicalOf(named, source);
  const set = createService(source, { large, spend: steps => budget.spend(steps) }).set(canonical);
  if (set === undefined) return { problem: `no ValueSet \`${canonical}\` is loaded` };
  const { members, problem } = drain(set.list(emptyListing(MOST_CODES)));
  return members === undefined ? { problem } : { codes: codesOf(members) };
}

/** Expands a set of codes with the systems of a partition that are in the store; undefined if there are none. */
export const expandStored =
  (source: TerminologySource, place: DocumentPlace, partition: string) =>
  async (set: CodeSet): Promise<Expansion | undefined> => {
    const large = await largeSystemsOf(place, partition);
    if (large.all().length === 0) return undefined;
    const service = createService(source, { large });
    return withReads(() =>
      'valueSet' in set ? expandSet(set.valueSet, service) : relatedTo(set.system, set.code, set.how, service),
    );
  };

/** The canonical of `ValueSet/id`; others are canonicals already. */
function canonicalOf(named: string, source: TerminologySource): string {
  const id = /^ValueSet\/([A-Za-z0-9.-]{1,64})$/.exec(named)?.[1];
  const found = id === undefined ? undefined : findById(source, 'ValueSet', id);
  if (found === undefined) return named;
  return found.version === undefined ? found.url : `${found.url}|${found.version}`;
}

function relatedTo(url: string, code: string, how: 'above' | 'below', service: TerminologyService): Expansion {
  try {
    const system = requireSystem(url, undefined, service);
    const concept = system.concept(code);
    if (concept === undefined) return { problem: `the CodeSystem \`${url}\` has no code \`${code}\`` };
    if (system.stored !== undefined && how === 'below') {
      const all = { offset: 0, count: MOST_CODES, without: undefined };
      const { total, concepts } = system.stored.page([system.stored.below(concept.code)], all);
      return total > MOST_CODES ? tooMany : { codes: [{ system: url, codes: concepts.map(one => one.code) }] };
    }
    const below = how === 'below' ? codesBelow(concept.code, system) : undefined;
    const codes = system.codes.filter(other => below?.has(other) ?? isBelow(concept, other, system));
    return codes.length > MOST_CODES ? tooMany : { codes: [{ system: url, codes }] };
  } catch (error) {
    if (error instanceof NotExpanded) return { problem: error.message };
    throw error;
  }
}
