import { above, below, everything, intersect, type Interval } from '../keys/interval.ts';
import { keysWithin } from '../plan/sort.ts';
import type { Clause, RangeClause } from './lower.ts';
import type { Axis, Key } from './order.ts';
import { missingOrd } from './rows.ts';
import { type Sql, sql } from './sql.ts';

/** The bounds of clauses on an axis, so that a walk along it can begin and end early. */
export interface AxisBounds {
  /** The interval of all matches, except those of the remainder. */
  readonly at: Interval;
  /** The remaining checks of each candidate, made when they are needed: most considered walks are not used. */
  readonly checks: readonly ((checkOf: (clause: Clause) => Sql) => Sql)[];
  /** Only the first steps of a walk can fail a check. */
  readonly sure: boolean;
  /** Matches below `floor` have one of the long intervals of this clause. */
  readonly remainder: { readonly clause: RangeClause; readonly at: Interval } | undefined;
}

/** Turns clauses into a part of an axis, and into checks if that does not imply them. */
export function boundsOnAxis(axis: Axis, clauses: readonly Clause[]): AxisBounds {
  let at = everything;
  let floor = -Infinity;
  let floored: RangeClause | undefined;
  let sure = true;
  const checks: AxisBounds['checks'][number][] = [];
  for (const clause of clauses) {
    const read = boundsOfClause(axis.key, clause);
    at = intersect(at, read.at);
    if (read.floor !== undefined && floored === undefined && clause.kind === 'range') {
      floor = read.floor;
      floored = clause;
    }
    // An entry that begins at or after the bound ends after it.
    if (read.left === 'early')
      checks.push(checkOf => sql`(${axis.column} >= ${(read.floor ?? 0) + read.width} OR ${checkOf(clause)})`);
    if (read.left === 'all') checks.push(checkOf => checkOf(clause));
    if (read.left === 'all' || (read.left === 'early' && clause !== floored)) sure = false;
  }
  if (floored === undefined) return { at, checks, sure, remainder: undefined };
  const remainder = { clause: floored, at: intersect(at, below(floor, true)) };
  return { at: intersect(at, above(floor, false)), checks, sure, remainder };
}

/** Whether a clause bounds a walk in the order of a key. */
export function boundsWalk(key: Key, clause: Clause): boolean {
  return boundsOfClause(key, clause).left !== 'all';
}

/** The part of the axis of one clause, and the candidates that must still be checked. */
interface ClauseBounds {
  readonly at: Interval;
  readonly left: 'none' | 'early' | 'all';
  /** The earliest begin of matching short intervals. */
  readonly floor: number | undefined;
  readonly width: number;
}

const nothing: ClauseBounds = { at: everything, left: 'all', floor: undefined, width: 0 };

function boundsOfClause(key: Key, clause: Clause): ClauseBounds {
  if (clause.kind === 'updated' && key.by === 'updated') return { ...nothing, at: clause.at, left: 'none' };
  if (clause.kind !== 'range' || key.p === 0 || clause.index !== key.p) return nothing;
  const { low, high, width } = clause;
  const isHighest = key.end !== 'lowest';
  const isLowest = key.end !== 'highest';
  const at = intersect(above(missingOrd, true), keysWithin(key.end, clause));
  const lowSaid =
    key.end === 'only' ||
    (low.min === -Infinity && (isLowest || low.max === Infinity)) ||
    (low.max === Infinity && isHighest);
  const isOpen = high.min === -Infinity && high.max === Infinity;
  if (lowSaid && isOpen) return { ...nothing, at, left: 'none' };
  const hasFloor = isHighest && low.min === -Infinity && high.min !== -Infinity;
  const floor = hasFloor ? high.min - width : undefined;
  const isEarly = hasFloor && high.max === Infinity && (key.end === 'only' || low.max === Infinity);
  return { at, left: isEarly ? 'early' : 'all', floor, width };
}

/** A part of the walk: the parts are ordered like the sort. */
export type Segment =
  | { readonly kind: 'range'; readonly at: Interval }
  | { readonly kind: 'missing' }
  | { readonly kind: 'remainder'; readonly at: Interval };

/** The parts of a walk along an axis: missing values are last, also if they are stored first. */
export function segments(key: Key, { at, remainder }: AxisBounds): readonly Segment[] {
  const mayMiss = key.p !== 0;
  const parts: Segment[] = [];
  if (remainder !== undefined) parts.push({ kind: 'remainder', at: intersect(remainder.at, above(missingOrd, true)) });
  parts.push({ kind: 'range', at: mayMiss && !key.descending ? intersect(at, above(missingOrd, true)) : at });
  if (key.descending) return parts.reverse();
  return mayMiss && at.min <= missingOrd && !at.minOpen && remainder === undefined
    ? [...parts, { kind: 'missing' }]
    : parts;
}
