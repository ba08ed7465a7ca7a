import { removeBytes } from '../files/sweep.ts';
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
    sweepIndex(database) ||
    sweepPartition(database, file) ||
    sweepExpired(database, 'documents', now) ||
    sweepExpired(database, 'keys', now);
  return { kind: 'done', value: more ? 1 : 0 };
}

const indexTables = [
  ['terms', 'v, ord, id, item'],
  ['strings', 'folded, text, id, item'],
  ['ranges', 'k, long, low, high, id, item'],
  ['sorts', 'which, k, id'],
] as const;

const recordTables = [
  ['resources', 'id'],
  ['versions', 'id, version'],
  ['attachments', 'id, version, item'],
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
    for (const [table, key] of recordTables) if (deleteSlice(database, table, 't', key, t)) return true;
    database.run('DELETE FROM types WHERE t = ?', [t]);
    return true;
  }
  if (deleteSlice(database, 'marks', 'n', 'key', n)) return true;
  if (deleteSlice(database, 'keys', 'n', 'key', n)) return true;
  if (removeBytes(file, Number(n))) return true;
  database.run('DELETE FROM partitions WHERE n = ?', [n]);
  return true;
}

function sweepExpired(database: Database, table: 'documents' | 'keys', now: number): boolean {
  const key = table === 'documents' ? 'collection, key' : 'n, key';
  const some = `SELECT ${key} FROM ${table} WHERE expires <= ? ORDER BY expires LIMIT ?`;
  return database.run(`DELETE FROM ${table} WHERE (${key}) IN (${some})`, [now, sweepSlice]).changes > 0;
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
