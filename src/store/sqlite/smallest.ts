import { valuesIn } from '../plan/clause.ts';
import type { Budget } from './budget.ts';
import { check, sourcesOf } from './clause-sql.ts';
import type { Clause, LoweredSearch } from './lower.ts';
import type { Database } from './open.ts';
import { candidates, countUpTo, hasMoreThan, resourcesOf, type Source } from './source.ts';
import { sql, type Sql } from './sql.ts';

/** A search that is being planned. */
export interface Plan {
  readonly database: Database;
  readonly search: LoweredSearch;
  readonly budget: Budget;
  readonly clauses: readonly Clause[];
  readonly want: number;
}

/** A clause by which a page may be found. */
export interface Candidate {
  /** Both undefined for the whole type. */
  readonly clause: Clause | undefined;
  readonly source: Source | undefined;
  /** At most one more than the probe; of the only clause of a search an upper bound. */
  readonly count: number;
}

/** So few candidates are checked faster than long intervals are searched in addition to a walk. */
export const few = 200;

/**
 * Counts the candidates of each clause, ids and terms first, up to the fewest so far or the probe, and selects the one
 * with the fewest.
 */
export function smallest(plan: Plan): Candidate {
  const { database, search, budget, clauses } = plan;
  let best: Candidate = { clause: undefined, source: undefined, count: resourcesOf(database, search.t) };
  for (const clause of cheapFirst(clauses)) {
    const sources = sourcesOf(clause, search.t);
    const isOnly = clauses.length === 1 && sources.length === 1 && budget.rows !== undefined && clause.kind !== 'ids';
    for (const source of sources) {
      if (best.count <= Math.min(tiny, budget.probe)) return best;
      if (isOnly) return onlyOne(plan, { clause, source }, best);
      const most = Math.min(budget.probe + 1, best.count);
      const count = clause.kind === 'ids' ? clause.ids.length : countUpTo(database, source, most);
      if (isSmaller(clause, count, best)) best = { clause, source, count };
    }
  }
  return best;
}

/**
 * Whether a clause with so many candidates costs less than the best one before it: fewer, or as many as the whole type,
 * whose candidates would need the many look-ups of the clause.
 */
export function isSmaller(clause: Clause, count: number, best: Pick<Candidate, 'clause' | 'count'>): boolean {
  return count < best.count || (count === best.count && best.clause === undefined && lookUps([clause]) > 1);
}

/** What the checks of a candidate cost beside those of a usual one: each value of a clause is a look-up. */
export function lookUps(clauses: readonly Clause[]): number {
  return clauses.reduce((sum, clause) => sum + Math.floor(valuesIn(clause) / usualValues), 1);
}

const usualValues = 16;

/**
 * The only clause with an upper bound of its candidates: with nothing else to compare it with than the whole type,
 * their number matters at the limits alone. Finding one row more than a limit costs less than counting.
 */
function onlyOne(
  { database, budget }: Plan,
  by: { readonly clause: Clause; readonly source: Source },
  all: Candidate,
): Candidate {
  const limits = [Math.min(few, budget.probe), budget.probe];
  const bound = limits.find(limit => !hasMoreThan(database, by.source, limit));
  if (bound !== undefined) return { ...by, count: bound };
  return budget.probe + 1 < all.count ? { ...by, count: budget.probe + 1 } : all;
}

/** So few candidates are checked faster than a smaller clause is searched. */
const tiny = 20;

/** Orders clauses by what counting them costs: the number of ids is known, and terms are one range each. */
export function cheapFirst(clauses: readonly Clause[]): readonly Clause[] {
  const [ids, terms, others]: [Clause[], Clause[], Clause[]] = [[], [], []];
  for (const clause of clauses) (clause.kind === 'ids' ? ids : clause.kind === 'terms' ? terms : others).push(clause);
  return [...ids, ...terms, ...others];
}

/** Where a condition is checked. */
interface Checked {
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
