import type { Budget } from './budget.ts';
import type { Database, Row } from './open.ts';
import { raw, type Sql, sql } from './sql.ts';
import { examinedTick } from './trace.ts';

/** A found resource with its sort values. */
export interface FoundRow {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly text: string;
  /** The owners, as store/keys/owners.ts prints them. */
  readonly owners: string | null;
  readonly keys: readonly (number | string)[];
}

/** Evaluated for one candidate in 64: a call from SQL costs as much as a step. */
const deadlineTick = raw('((c.r & 63) <> 0 OR deadline())');

/** What is evaluated for each candidate before it is checked: the deadline of a reader, the count of an explanation. */
export function ticksOf({ trace }: Database, { rows }: Budget): readonly Sql[] {
  const deadline = rows === undefined ? [deadlineTick] : [];
  return trace === undefined ? deadline : [examinedTick, ...deadline];
}

/** Rows of `id, r, sort values…` with the texts of their resources, up to one beyond those that fit on a page. */
export function withTexts(database: Database, rows: readonly Row[]): readonly FoundRow[] {
  if (rows.length === 0) return [];
  const texts = database.page(
    sql`SELECT u.version, u.last_updated, u.owners, u.text
      FROM json_each(${JSON.stringify(rows.map(row => row[1]))}) j CROSS JOIN resources u ON u.r = j.value`,
    rows.length,
  );
  return rows.slice(0, texts.length).map((row, at) => foundRow(row, row.length - 2, texts[at] ?? [], 0));
}

/**
 * From a row `id, r, sort values…` with so many sort values, and one with `version, last_updated, owners, text` from an
 * index on.
 */
export function foundRow(row: Row, keys: number, texts: Row, from: number): FoundRow {
  return {
    id: row[0] as string,
    version: texts[from] as number,
    lastUpdated: texts[from + 1] as number,
    owners: (texts[from + 2] ?? null) as string | null,
    text: texts[from + 3] as string,
    keys: row.slice(2, 2 + keys) as (number | string)[], // no sort value is null
  };
}
