import { FhirError } from '../../../fhir/error.ts';
import type { Query } from '../../../search/ast.ts';
import { print, printSort } from '../../../search/print.ts';
import type { SearchRequest } from '../../../search/request.ts';
import { isIndexedOrder } from '../../../search/sort.ts';
import { needsCandidates } from '../../../search/walk.ts';
import { findAll, type LimitedPlace } from '../find-all.ts';
import { recorded, type Step } from './record.ts';

/** How a search is understood, and how it is answered. */
export interface Explanation {
  /** One for each type. */
  readonly searches: readonly ExplainedSearch[];
  readonly includes: readonly string[];
  /** The reads of the store; undefined where they could reveal records that the caller may not see. */
  readonly steps: readonly Step[] | undefined;
  /** Why the search is answered by an error, such as too much work. */
  readonly refusal: string | undefined;
}

export interface ExplainedSearch {
  readonly type: string;
  /** The query of the client (search/print.ts), without what the access of the caller adds. */
  readonly query: string;
  /** Its parts, all of which must match. */
  readonly clauses: readonly { readonly query: string; readonly by: 'index' | 'candidates' }[];
  readonly sort: string;
  /** Whether an index has the order; otherwise up to 10,000 matches are sorted. */
  readonly sortIndex: boolean;
  readonly count: number;
  /** Whether the access of the caller restricts the records of the type. */
  readonly restricted: boolean;
}

/** A search of a type: as the client wrote it, and as it is restricted to what the caller may see. */
export interface AskedBoth {
  readonly given: SearchRequest;
  readonly asked: SearchRequest;
}

/**
 * Explains a search. `steps`: runs it and records what is read; rows are counted there, so that the caller must be
 * allowed to see every record of each type.
 */
export async function explainSearch(
  asked: readonly AskedBoth[],
  place: LimitedPlace,
  options: { readonly steps: boolean; readonly isRestricted: (asked: SearchRequest) => boolean },
): Promise<Explanation> {
  const searches = asked.map(({ given: { type, query, sort, count }, asked: one }) => ({
    type: type.name,
    query: print(query),
    clauses: partsOf(query).map(part => ({ query: print(part), by: byOf(part) })),
    sort: printSort(sort),
    sortIndex: isIndexedOrder(type, sort),
    count,
    restricted: options.isRestricted(one),
  }));
  const includes = (asked[0]?.given.includes ?? []).map(({ written }) => written);
  if (!options.steps) return { searches, includes, steps: undefined, refusal: undefined };
  const { partition, steps } = recorded(place.partition);
  let refusal: string | undefined;
  // One after the other, so that the steps have an order.
  const page = asked.map(one => ({ ...one.asked, total: 'none' as const }));
  const total = asked.map(one => ({ ...one.asked, count: 0, includes: [] }));
  try {
    await findAll(page, { ...place, partition });
    if (total.some(one => one.total !== 'none')) await findAll(total, { ...place, partition });
  } catch (error) {
    if (!(error instanceof FhirError) || error.status !== 403) throw error;
    refusal = error.message;
  }
  return { searches, includes, steps, refusal };
}

const partsOf = (query: Query): readonly Query[] =>
  query.kind === 'and' ? query.of : query.kind === 'all' ? [] : [query];

const byOf = (query: Query): 'index' | 'candidates' => (needsCandidates(query) ? 'candidates' : 'index');
