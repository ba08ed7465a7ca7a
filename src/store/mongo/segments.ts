import { above, everything, intersect, type Interval } from '../interval.ts';
import { keysWithin } from '../plan/sort.ts';
import type { Clause, RangeClause } from './clause.ts';
import { orderBounds } from './conditions.ts';
import { wideTerm } from './names.ts';
import type { Key } from './order.ts';
import { firstValue } from './order-key.ts';

type FieldKey = Extract<Key, { by: 'field' }>;

/** A part of an order: the parts of a walk follow each other. */
export interface Segment {
  /** Order keys in [from, to). */
  readonly from: string;
  readonly to: string | undefined;
  /** A term that its documents have. */
  readonly term?: string;
}

/**
 * The parts of the order of a key in which matches of the clauses lie. What has no value is last in either direction. What clauses
 * say of the date that is sorted by bounds the walk: a date that ends behind a bound begins at most its width before it, but for
 * wide ones, which are looked for apart.
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
  /** Where all matches lie, but those that are wide. */
  readonly at: Interval;
  /** Some clause says that there is a value. */
  readonly isBounded: boolean;
  /** Where matches of this clause begin at the earliest, unless they are wide. */
  readonly floor: number;
  readonly floored: RangeClause | undefined;
}

function boundsAlong(key: FieldKey, clauses: readonly Clause[]): Along {
  let along: Along = { at: everything, isBounded: false, floor: -Infinity, floored: undefined };
  for (const clause of clauses) {
    if (clause.kind === 'updated' && key.index === undefined) along = { ...along, at: intersect(along.at, clause.at) };
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
