import { removeBytes } from './attachment-sweep.ts';
import type { JobResult } from './jobs.ts';
import type { Database } from './open.ts';
import type { SqlValue } from './sql.ts';
import { deleteSomeWords } from './words-table.ts';

/** Rows that one sweep deletes at most, so that its commit stays short. */
const sweepSlice = 2_000;

/**
 * Deletes a slice of obsolete data: rows of dropped indexes, the content of removed partitions (attachments beside the
 * file too), documents and keys that have expired. Done: 1 if there may be more.
 */
export function sweep(database: Database, file: string, now: number): JobResult {
  const more =
    sweepIndex(database) || sweepPartition(database, file) || sweepDocuments(database, now) || sweepKeys(database, now);
  return { kind: 'done', value: more ? 1 : 0 };
}

const indexTables = [
  ['terms', 'v, ord, id, item'],
  ['strings', 'folded, text, id, item'],
  ['ranges', 'k, long, low, high, id, item'],
  ['sorts', 'which, k, id'],
] as const;

function sweepIndex(database: Database): boolean {
  const [p] = database.get(`SELECT p FROM parameters WHERE state = 'dropped' ORDER BY p LIMIT 1`) ?? [];
  if (p === undefined) return false;
  for (const [table, key] of indexTables) if (deleteSlice(database, table, 'p', key, p)) return true;
  if (deleteSomeWords(database, Number(p), sweepSlice)) return true;
  database.run('DELETE FROM parameters WHERE p = ?', [p]);
  return true;
}

function sweepPartition(database: Database, file: string): boolean {
  const [n] = database.get('SELECT n FROM partitions WHERE id IS NULL LIMIT 1') ?? [];
  if (n === undefined) return false;
  const [t] = database.get('SELECT t FROM types WHERE n = ? LIMIT 1', [n]) ?? [];
  if (t !== undefined) {
    const { changes } = database.run(`UPDATE parameters SET state = 'dropped' WHERE t = ? AND state <> 'dropped'`, [t]);
    if (changes > 0) return true;
    if (deleteSlice(database, 'resources', 't', 'id', t)) return true;
    if (deleteSlice(database, 'versions', 't', 'id, version', t)) return true;
    if (deleteSlice(database, 'attachments', 't', 'id, version, item', t)) return true;
    database.run('DELETE FROM types WHERE t = ?', [t]);
    return true;
  }
  if (deleteSlice(database, 'marks', 'n', 'key', n)) return true;
  if (deleteSlice(database, 'keys', 'n', 'key', n)) return true;
  if (removeBytes(file, Number(n))) return true;
  database.run('DELETE FROM partitions WHERE n = ?', [n]);
  return true;
}

function sweepDocuments(database: Database, now: number): boolean {
  return (
    database.run(
      'DELETE FROM documents WHERE rowid IN (SELECT rowid FROM documents WHERE expires <= ? ORDER BY expires LIMIT ?)',
      [now, sweepSlice],
    ).changes > 0
  );
}

function sweepKeys(database: Database, now: number): boolean {
  return (
    database.run(
      'DELETE FROM keys WHERE (n, key) IN (SELECT n, key FROM keys WHERE expires <= ? ORDER BY expires LIMIT ?)',
      [now, sweepSlice],
    ).changes > 0
  );
}

/** Deletes the first rows with this value of `column`, in the order of `key`; false if there are none. */
function deleteSlice(database: Database, table: string, column: string, key: string, value: SqlValue): boolean {
  const last = database.get(
    `SELECT ${key} FROM ${table} WHERE ${column} = ? ORDER BY ${key} LIMIT 1 OFFSET ${sweepSlice - 1}`,
    [value],
  );
  if (last === undefined) return database.run(`DELETE FROM ${table} WHERE ${column} = ?`, [value]).changes > 0;
  const marks = last.map(() => '?').join(', ');
  return (
    database.run(`DELETE FROM ${table} WHERE ${column} = ? AND (${key}) <= (${marks})`, [value, ...last]).changes > 0
  );
}
