import { valueDigest } from '../record-digest.ts';
import type { Mark } from '../records.ts';
import type { Database } from './open.ts';

/** Writes a mark of a partition. */
export function keepMark(database: Database, n: number, mark: Mark | undefined): void {
  if (mark === undefined) return;
  const row = [n, mark.key, mark.value] as const;
  database.run('INSERT OR REPLACE INTO marks (n, key, value, digest) VALUES (?, ?, ?, ?)', [...row, valueDigest(row)]);
}
