import type { Position } from '../../search/ast.ts';
import { above, everything, intersect, type Interval } from '../keys/interval.ts';
import { firstValue } from '../keys/order-key.ts';
import { keysWithin } from '../plan/sort.ts';
import { isFull } from '../port/pages.ts';
import { orderBounds } from './conditions.ts';
import { findDocuments, findFrequent, type FoundDocument, type Reading, type RequestedPage } from './find.ts';
import type { Clause, RangeClause } from './lower.ts';
import { updatedField, wideTerm } from './names.ts';
import { type Key, keyAt } from './order.ts';
import { orderedPlan, type Place, type ResolvedQuery } from './plan.ts';

/** Finds documents in the order of one key: one `find`, and another if the first part of the order has too few. */
export async function walk(
  place: Place,
  asked: ResolvedQuery,
  key: Key,
  { limit, after, projection }: RequestedPage,
  reading: Reading,
): Promise<readonly FoundDocument[]> {
  const direction = key.descending ? -1 : 1;
  const sort = { [key.by === 'id' ? '_id' : `o.${key.field}`]: direction } as const;
  const found: FoundDocument[] = [];
  for (const { at, term } of partsOfWalk(place, asked, key, after)) {
    const plan = orderedPlan(place, asked, key, at, term);
    const wanted = { projection, sort, limit: limit - found.length };
    const frequent = await findFrequent<FoundDocument>(place, plan, wanted, reading);
    found.push(...(frequent ?? (await findDocuments<FoundDocument>(place, plan, wanted, reading))));
    if (isFull(found, limit)) break;
  }
  return found;
}

interface Part {
  /** The condition on the sort key. */
  readonly at: object;
  /** A term of its documents. */
  readonly term: string | undefined;
}

function partsOfWalk({ p }: Place, { clauses }: ResolvedQuery, key: Key, after: Position | undefined): readonly Part[] {
  if (key.by === 'id') {
    const at = after === undefined ? {} : { [key.descending ? '$lt' : '$gt']: `${p}/${after.id}` };
    return [{ at, term: undefined }];
  }
  const behind = after === undefined ? undefined : keyAt(key, after);
  return segmentsOf(key, clauses, p).flatMap(segment => {
    const at = bounds(segment, key.descending, behind);
    return at === undefined ? [] : [{ at, term: segment.term }];
  });
}

/** The order keys of a segment after a position; undefined if there are none. */
function bounds({ from, to }: Segment, descending: boolean, behind: string | undefined): object | undefined {
  if (to !== undefined && from >= to) return undefined;
  const end = to === undefined ? {} : { $lt: to };
  if (behind === undefined) return { $gte: from, ...end };
  if (descending) {
    if (behind <= from) return undefined;
    return { $gte: from, $lt: to === undefined || behind < to ? behind : to };
  }
  // A missing value is last here too, though its order keys precede all others.
  if (behind < firstValue !== from < firstValue) return behind < firstValue ? undefined : { $gte: from, ...end };
  if (to !== undefined && behind >= to) return undefined;
  return { ...(behind < from ? { $gte: from } : { $gt: behind }), ...end };
}

type FieldKey = Extract<Key, { by: 'field' }>;

/** A part of an order: the parts of a walk are disjoint and ordered. */
interface Segment {
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
function segmentsOf(key: FieldKey, clauses: readonly Clause[], p: string): readonly Segment[] {
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
