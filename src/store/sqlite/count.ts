import { check } from './check.ts';
import type { Clause } from './clause.ts';
import { deadlineTick } from './found.ts';
import type { Database } from './open.ts';
import type { Budget } from './search.ts';
import { candidates, type Source, sourcesOf, typeSource } from './source.ts';
import { allOf, raw, sql } from './sql.ts';

/** A count with everything resolved: plain data, so that a reader worker can take it. */
export interface LoweredCount {
  readonly t: number;
  /** Resources of the type now. */
  readonly total: number;
  readonly clause: Clause;
}

/** How many resources match, exactly. Undefined where the budget does not reach. */
export function countMatches(
  database: Database,
  { t, total, clause }: LoweredCount,
  budget: Budget,
): number | undefined {
  const clauses = clause.kind === 'and' ? clause.of : [clause];
  if (clauses.length === 0) return total;
  let best: { clause: Clause | undefined; source: Source; count: number } = {
    clause: undefined,
    source: typeSource(t),
    count: total,
  };
  for (const one of clauses)
    for (const source of sourcesOf(one, t)) {
      const [row] = database.query(
        sql`SELECT count(*) FROM (SELECT 1 FROM ${candidates(source)} LIMIT ${budget.probe + 1})`,
      );
      const count = Number(row?.[0]);
      if (count < best.count) best = { clause: one, source, count };
    }
  if (best.count > budget.probe && budget.rows !== undefined) return undefined;
  const rest = best.source.exact ? clauses.filter(one => one !== best.clause) : clauses;
  if (rest.length === 0 && best.source.distinct && best.count <= budget.probe) return best.count;
  const tick = budget.rows === undefined ? [deadlineTick] : [];
  const what = raw(best.source.distinct ? '*' : 'DISTINCT c.r');
  const [row] = database.query(
    sql`SELECT count(${what}) FROM ${candidates(best.source)} c WHERE ${allOf([...tick, ...rest.map(check)])}`,
  );
  return Number(row?.[0]);
}
