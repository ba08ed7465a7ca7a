import { above, everything, intersect, type Interval } from '../keys/interval.ts';
import { firstValue } from '../keys/order-key.ts';
import { keysWithin } from '../plan/sort.ts';
import type { Clause, RangeClause } from './clause.ts';
import { orderBounds } from './conditions.ts';
import { updatedField, wideTerm } from './names.ts';
import type { Key } from './order.ts';

type FieldKey = Extract<Key, { by: 'field' }>;

/** A part of an order: the parts of a walk are disjoint and ordered. */
export interface Segment {
  /** Order keys in [from, to). */
  readonly from: string;
  readonly to: string | undefined;
  /** A term of its documents. */
  readonly term?: string;
}

/**
 * The parts of the order of a key that contain matches of the clauses. A missing value is last in either direction.
 * Clauses on the sort date bound the walk: a date that ends after a bound begins at most its width before it, except
 * for wide ones, which are searched separately.
 */
export function segmentsOf(key: FieldKey, clauses: readonly Clause[], p: string): readonly Segment[] {
  const along = boundsAlong(key, clauses);
  const main = orderBounds(along.at);
  const parts: Segment[] = [];
  if (along.floored !== undefined) {
    const term = wideTerm(p, along.floored.index.code);
    const { from } = orderBounds(above(along.floor, false));
    parts.push({ ...main, to: earlier(main.to, from), term });
    parts.push({ ...main, from: later(main.from, from) });
  } else if (along.isBounded || key.index === undefined) {
    parts.push(main);
  } else if (key.descending) {
    parts.push({ from: '', to: undefined });
  } else {
    parts.push({ from: firstValue, to: undefined }, { from: '', to: firstValue });
  }
  return key.descending ? parts.reverse() : parts;
}

const later = (a: string, b: string): string => (a > b ? a : b);
const earlier = (a: string | undefined, b: string): string => (a === undefined || b < a ? b : a);

interface Along {
  /** The interval of all matches, except wide ones. */
  readonly at: Interval;
  /** A clause requires a value. */
  readonly isBounded: boolean;
  /** The earliest begin of a match of this clause, unless it is wide. */
  readonly floor: number;
  readonly floored: RangeClause | undefined;
}

function boundsAlong(key: FieldKey, clauses: readonly Clause[]): Along {
  let along: Along = { at: everything, isBounded: false, floor: -Infinity, floored: undefined };
  // No clause bounds a sort index.
  if (key.kind !== undefined) return along;
  for (const clause of clauses) {
    if (clause.kind === 'updated' && key.field === updatedField)
      along = { ...along, at: intersect(along.at, clause.at) };
    if (clause.kind === 'range' && clause.index === key.index) along = rangeAlong(key, clause, along);
  }
  return along;
}

function rangeAlong({ end }: FieldKey, clause: RangeClause, along: Along): Along {
  const { low, high, width } = clause;
  let { floor, floored } = along;
  if (end !== 'lowest' && floored === undefined && high.min - width > low.min) {
    floor = high.min - width;
    floored = clause;
  }
  return { at: intersect(along.at, keysWithin(end, clause)), isBounded: true, floor, floored };
}
