import type { Database, Row } from './open.ts';
import { raw } from './sql.ts';

/** A resource found, with its sort values. */
export interface FoundRow {
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly text: string;
  readonly keys: readonly (number | string)[];
}

/** Looked at for one candidate in 64: calling from SQL costs as much as a step. */
export const deadlineTick = raw('((c.r & 63) <> 0 OR deadline())');

/** Rows of `id, r, sort values…` with the texts of their resources. */
export function withTexts(database: Database, rows: readonly Row[]): readonly FoundRow[] {
  if (rows.length === 0) return [];
  const texts = database.all(
    'SELECT u.version, u.last_updated, u.text FROM json_each(?) j CROSS JOIN resources u ON u.r = j.value',
    [JSON.stringify(rows.map(row => row[1]))],
  );
  return rows.map(([id, , ...keys], at) => foundRow(id, keys, texts[at] ?? []));
}

export function foundRow(id: Row[number] | undefined, keys: Row, [version, lastUpdated, text]: Row): FoundRow {
  return {
    id: String(id),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: String(text),
    keys: keys.map(key => key ?? ''),
  };
}
