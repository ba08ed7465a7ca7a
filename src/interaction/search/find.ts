import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { isIndexedOrder } from '../../search/sort.ts';
import { needsCandidates } from '../../search/walk.ts';
import { DeadlinePassed, TooManyToSort } from '../../store/port/errors.ts';
import type { Page } from '../../store/port/records.ts';
import {
  countOfCandidates,
  createBudget,
  type JoinedSearch,
  MOST_JOINED,
  pageOfCandidates,
  sortedPageOfCandidates,
} from './candidates.ts';
import type { Place } from './joined.ts';
import { withSets, withTrees } from './sets.ts';

/** Limits of the work for joins. */
export interface JoinLimits {
  /** Up to this many inner matches are replaced by a set at once. */
  readonly smallSet: number;
  /** Up to this many inner matches are replaced by a set if few candidates match. */
  readonly largeSet: number;
  /** Candidates that are read before a large set is tried. */
  readonly firstCandidates: number;
  /** Most records that one search reads to evaluate joins. */
  readonly read: number;
}

export const usualJoinLimits: JoinLimits = {
  smallSet: 100,
  largeSet: 5_000,
  firstCandidates: 1_000,
  read: MOST_JOINED,
};

/**
 * A page of a search. A join is evaluated from its smaller side: a small set of inner matches is replaced by a test of
 * references; otherwise candidates are read in order, which fills a page soon if many match; otherwise a large set is
 * tried. An order without an index needs all candidates. Throws FhirError 403 `too-costly`.
 */
export function findPage(search: JoinedSearch, place: Place, limits: JoinLimits = usualJoinLimits): Promise<Page> {
  return needsCandidates(search.query) ? findJoined(search, place, limits) : inStore(search, search.query, place);
}

function inStore({ type, sort, limit, after }: JoinedSearch, query: Query, { partition }: Place): Promise<Page> {
  return partition.search(type.name, after === undefined ? { query, sort, limit } : { query, sort, limit, after });
}

async function findJoined(search: JoinedSearch, place: Place, limits: JoinLimits): Promise<Page> {
  const { type, sort } = search;
  const query = await withSets(await withTrees(search.query, place), place, limits.smallSet);
  const small = { ...search, query };
  if (!needsCandidates(small.query)) return inStore(search, small.query, place);
  const budget = createBudget(limits.read);
  if (!isIndexedOrder(type, sort)) {
    const sets = await withSets(small.query, place, limits.largeSet);
    return needsCandidates(sets) ? sortedPageOfCandidates(small, place, budget) : inStore(search, sets, place);
  }
  const first = await pageOfCandidates(small, place, budget, limits.firstCandidates);
  if (first !== undefined) return first;
  const large = await withSets(small.query, place, limits.largeSet);
  if (!needsCandidates(large)) {
    try {
      return await inStore(search, large, place);
    } catch (error) {
      if (!(error instanceof DeadlinePassed || error instanceof TooManyToSort)) throw error;
    }
  }
  return (await pageOfCandidates(small, place, budget, Infinity)) ?? { versions: [], next: undefined };
}

/** The number of matches. Throws FhirError 403 `too-costly`. */
export async function countMatches(
  type: ResourceType,
  query: Query,
  place: Place,
  limits: JoinLimits = usualJoinLimits,
): Promise<number> {
  const sets = await withSets(await withTrees(query, place), place, limits.largeSet);
  if (!needsCandidates(sets)) return place.partition.count(type.name, sets);
  return countOfCandidates(type, sets, place, createBudget(limits.read));
}
