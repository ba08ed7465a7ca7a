import type { SearchParam } from '../../model/model.ts';
import type { Sort } from '../../search/ast.ts';
import { type SortKind, sortKindOf } from '../../search/sort-value.ts';
import { hasSortIndex } from '../../search/sort.ts';
import { above, below, everything, intersect, type Interval } from '../keys/interval.ts';
import type { RangeClause } from './clause.ts';
import { type ParamIndexes, readyIndex } from './indexes.ts';

/** A sort key resolved to the index of its parameter. */
export type SortKey<I> =
  | { readonly by: 'id' | 'updated' | 'created'; readonly descending: boolean }
  /** The low end of a date. */
  | { readonly by: 'date'; readonly index: I; readonly end: End; readonly descending: boolean }
  /** A value of a sort index (keys/order-key.ts). */
  | {
      readonly by: 'value';
      readonly kind: SortKind;
      readonly param: SearchParam;
      readonly index: I;
      readonly end: End;
      readonly descending: boolean;
    };

/** Which value of a resource is the key, of a date which low end; `only` if there is at most one. */
export type End = 'only' | 'highest' | 'lowest';

/**
 * Resolves sort keys. Throws `IndexPending` if an index that they need is not complete, Error for a parameter without a
 * sort index.
 */
export function lowerSort<I>(sorts: readonly Sort[], indexes: ParamIndexes<I>): readonly SortKey<I>[] {
  return sorts.map(sort => lowerKey(sort, indexes));
}

function lowerKey<I>(sort: Sort, indexes: ParamIndexes<I>): SortKey<I> {
  const { descending } = sort;
  const { sortDate } = indexes.type;
  switch (sort.by) {
    case 'id':
      return { by: 'id', descending };
    case 'lastUpdated':
      return { by: 'updated', descending };
    case 'default':
      return sortDate === undefined ? { by: 'created', descending } : dateKey(sortDate, descending, indexes);
    case 'score':
      throw new Error('No index has the order of scores');
    case 'param':
      if (sortKindOf(sort.param) === 'time') return dateKey(sort.param, descending, indexes);
      return valueKey(sort.param, descending, indexes);
    default:
      return sort satisfies never;
  }
}

/**
 * If there are several values, the highest counts in a descending order, the lowest in an ascending one.
 * https://hl7.org/fhir/R4/search.html#sort
 */
function dateKey<I>(param: SearchParam, descending: boolean, indexes: ParamIndexes<I>): SortKey<I> {
  return { by: 'date', index: readyIndex(indexes, param).index, end: endOf(param, descending), descending };
}

function valueKey<I>(param: SearchParam, descending: boolean, indexes: ParamIndexes<I>): SortKey<I> {
  const kind = sortKindOf(param);
  if (kind === undefined || !hasSortIndex(indexes.type, param))
    throw new Error(`${indexes.type.name} has no sort index of \`${param.code}\``);
  const { index } = readyIndex(indexes, param);
  return { by: 'value', kind, param, index, end: endOf(param, descending), descending };
}

function endOf({ single }: SearchParam, descending: boolean): End {
  if (single) return 'only';
  return descending ? 'highest' : 'lowest';
}

/** The ends that a sort index of a parameter has. */
export function sortEnds({ single }: SearchParam): readonly End[] {
  return single ? ['only'] : ['highest', 'lowest'];
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
