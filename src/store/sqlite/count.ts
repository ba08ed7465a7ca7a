import { isNone, partsOf } from '../plan/clause.ts';
import { type Budget, budgetFor, isLong } from './budget.ts';
import { sourcesOf } from './clause-sql.ts';
import { ticksOf } from './found.ts';
import type { Clause } from './lower.ts';
import type { Database } from './open.ts';
import { cheapFirst, checkOfMany, isSmaller } from './smallest.ts';
import { candidates, countUpTo, resourcesOf, type Source, typeSource } from './source.ts';
import { allOf, raw, sql } from './sql.ts';

/** A resolved count: plain data, which can be sent to a reader worker. */
export interface LoweredCount {
  readonly t: number;
  readonly clause: Clause;
}

/** The exact number of matching resources. Undefined if it exceeds the budget. */
export function countMatches(database: Database, { t, clause }: LoweredCount, allowed: Budget): number | undefined {
  if (isNone(clause)) return 0;
  const clauses = partsOf(clause);
  const total = resourcesOf(database, t);
  if (clauses.length === 0) return total;
  if (isLong(clause, allowed)) return undefined;
  const budget = budgetFor(allowed, clause);
  let best: { clause: Clause | undefined; source: Source; count: number } = {
    clause: undefined,
    source: typeSource(t),
    count: total,
  };
  for (const one of cheapFirst(clauses))
    for (const source of sourcesOf(one, t)) {
      const count = countUpTo(database, source, Math.min(budget.probe + 1, best.count));
      if (isSmaller(one, count, best)) best = { clause: one, source, count };
    }
  if (best.count > budget.probe && budget.rows !== undefined) return undefined;
  const rest = best.source.exact ? clauses.filter(one => one !== best.clause) : clauses;
  const tick = ticksOf(database, budget);
  database.trace?.route(false, best.clause === undefined ? [] : [clauses.indexOf(best.clause)]);
  const what = raw(best.source.distinct ? '*' : 'DISTINCT c.r');
  const { count } = best;
  const worth = (values: number): number => count * values;
  const where = { database, t, worth, most: budget.probe, tick };
  const conditions = rest.map(one => checkOfMany(one, where));
  const [row] = database.query(
    sql`SELECT count(${what}) FROM ${candidates(best.source, tick)} c WHERE ${allOf(conditions)}`,
  );
  return Number(row?.[0]);
}
