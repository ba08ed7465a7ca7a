import { valuesIn } from '../plan/clause.ts';
import { check, sourcesOf } from './clause-sql.ts';
import type { Clause } from './clause.ts';
import type { Database } from './open.ts';
import { lookUps } from './smallest.ts';
import { candidates, hasMoreThan } from './source.ts';
import { type Sql, sql } from './sql.ts';

/** Where a condition is checked. */
export interface Checked {
  readonly database: Database;
  /** The number of the type. */
  readonly t: number;
  /** How many matches of a clause with so many values cost no more to read than the look-ups of its values. */
  readonly worth: (values: number) => number;
  /** Most matches of a clause that are read at once. */
  readonly most: number;
  /** Calls of `deadline()`. */
  readonly tick: readonly Sql[];
}

/**
 * A condition on many candidates. The matches of a clause of many values are read once, if they are fewer than what its
 * look-ups cost: one of each value for each candidate.
 */
export function checkOfMany(clause: Clause, checked: Checked): Sql {
  const { database, t, worth, most, tick } = checked;
  if (lookUps([clause]) === 1) return check(clause);
  if (clause.kind === 'not') return sql`NOT ${checkOfMany(clause.of, checked)}`;
  const [source] = sourcesOf(clause, t);
  if (source?.exact !== true) return check(clause);
  if (hasMoreThan(database, source, Math.min(most, Math.ceil(worth(valuesIn(clause)))))) return check(clause);
  return sql`c.r IN (SELECT s.r FROM ${candidates(source, tick)} s)`;
}
