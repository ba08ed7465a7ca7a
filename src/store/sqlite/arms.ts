import type { Axis } from './order.ts';
import type { Database } from './open.ts';
import { raw, type Sql, sql } from './sql.ts';

/** Rows in the order of an axis: those of a term, or of the whole type. */
export interface Arm {
  readonly from: Sql;
  readonly where: Sql;
}

export const armOfType = ({ from, where }: Axis): Arm => ({ from, where });

export const armOfTerm = (index: number, term: string): Arm => ({
  from: terms,
  where: sql`c.p = ${index} AND c.v = ${term}`,
});

const terms = raw('terms c');

/** The terms that some resource has. */
export function termsInUse(database: Database, index: number, values: readonly string[]): readonly string[] {
  if (values.length === 1) return values;
  const asked = values.flatMap(value => [index, value]);
  const found = new Set(database.all(statementFor(values.length), asked).map(([at]) => at));
  return values.filter((_, at) => found.has(at));
}

/** By the number of terms. */
const statements: string[] = [];

const statementFor = (count: number): string =>
  (statements[count] ??= Array.from(
    { length: count },
    (_, at) => `SELECT ${at} FROM (SELECT 1 FROM terms c WHERE c.p = ? AND c.v = ? LIMIT 1)`,
  ).join(' UNION ALL '));
