import type { SearchParam } from '../../model/model.ts';
import type { Sort } from '../../search/ast.ts';
import { above, below, everything, intersect, type Interval } from '../interval.ts';
import type { RangeClause } from './clause.ts';
import { type ParamIndexes, readyIndex } from './indexes.ts';

/** A sort key resolved to the index of its parameter. */
export type Key<I> =
  | { readonly by: 'id' | 'updated'; readonly descending: boolean }
  /** The low end of a date. */
  | { readonly by: 'date'; readonly index: I; readonly end: End; readonly descending: boolean };

/** Which low end of the values of a resource is the key; `only` if there is at most one. */
export type End = 'only' | 'highest' | 'lowest';

/** Resolves sort keys. Throws `IndexPending` if an index that they need is not complete. */
export function lowerSort<I>(sorts: readonly Sort[], indexes: ParamIndexes<I>): readonly Key<I>[] {
  return sorts.map(sort => lowerKey(sort, indexes));
}

function lowerKey<I>(sort: Sort, indexes: ParamIndexes<I>): Key<I> {
  const { descending } = sort;
  const { sortDate } = indexes.type;
  switch (sort.by) {
    case 'id':
      return { by: 'id', descending };
    case 'lastUpdated':
      return { by: 'updated', descending };
    case 'default':
      return sortDate === undefined ? { by: 'updated', descending } : dateKey(sortDate, descending, indexes);
    case 'param':
      return dateKey(sort.param, descending, indexes);
    default:
      return sort satisfies never;
  }
}

/**
 * Of several values the highest counts in a descending order, the lowest in an ascending one.
 * https://hl7.org/fhir/R4/search.html#sort
 */
function dateKey<I>(param: SearchParam, descending: boolean, indexes: ParamIndexes<I>): Key<I> {
  const end = param.single ? 'only' : descending ? 'highest' : 'lowest';
  return { by: 'date', index: readyIndex(indexes, param).index, end, descending };
}

/**
 * Where the keys of matches of a range on the same date are: the highest low end is above what bounds low ends from
 * below, the lowest is below what bounds either end from above; a single one is both.
 */
export function keysWithin(end: End, { low, high }: RangeClause<unknown>): Interval {
  const from = end === 'lowest' ? everything : above(low.min, low.minOpen);
  if (end === 'highest') return from;
  return intersect(intersect(from, below(low.max, low.maxOpen)), below(high.max, high.maxOpen));
}
