import { Budget } from '../fhirpath/evaluate/environment.ts';
import { Cache } from '../limits/cache.ts';
import { codesBelow, isBelow } from './code-system.ts';
import { codesOf, MOST_CODES } from './expansion.ts';
import type { Expansion, Expansions } from './expansion.ts';
import { drain, emptyListing } from './listing.ts';
import { createService } from './service.ts';
import type { TerminologyService } from './service.ts';
import { NotExpanded } from './members.ts';
import { requireSystem } from './value-set.ts';

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

function expandSet(canonical: string, { source }: TerminologyService): Expansion {
  const budget = new Budget(patternSteps);
  const set = createService(source, { spend: steps => budget.spend(steps) }).set(canonical);
  if (set === undefined) return { problem: `no ValueSet \`${canonical}\` is loaded` };
  const { members, problem } = drain(set.list(emptyListing(MOST_CODES)));
  return members === undefined ? { problem } : { codes: codesOf(members) };
}

function relatedTo(url: string, code: string, how: 'above' | 'below', service: TerminologyService): Expansion {
  try {
    const system = requireSystem(url, undefined, service);
    const concept = system.concept(code);
    if (concept === undefined) return { problem: `the CodeSystem \`${url}\` has no code \`${code}\`` };
    const below = how === 'below' ? codesBelow(concept.code, system) : undefined;
    const codes = system.codes.filter(other => below?.has(other) ?? isBelow(concept, other, system));
    return codes.length > MOST_CODES
      ? { problem: `it has more than ${MOST_CODES.toLocaleString('en')} codes` }
      : { codes: [{ system: url, codes }] };
  } catch (error) {
    if (error instanceof NotExpanded) return { problem: error.message };
    throw error;
  }
}
