import { valueDigest } from '../record-digest.ts';
import type { Job, JobResult } from './jobs.ts';
import type { Database } from './open.ts';

/** Done: for `putIfAbsent` the stored value afterwards. */
export function document(database: Database, job: Extract<Job, { kind: 'document' }>): JobResult {
  const { how, collection, key, value, expires, now } = job;
  if (how === 'putIfAbsent') {
    const [kept, until] =
      database.get('SELECT value, expires FROM documents WHERE collection = ? AND key = ?', [collection, key]) ?? [];
    if (kept !== undefined && (until === null || Number(until) > now)) return { kind: 'done', value: kept };
  }
  if (how === 'delete') database.run('DELETE FROM documents WHERE collection = ? AND key = ?', [collection, key]);
  else keepDocument(database, [collection, key, value, expires]);
  return { kind: 'done', value };
}

/** Stores a document, replacing an existing one. */
export function keepDocument(
  database: Database,
  row: readonly [collection: string, key: string, value: string, expires: number | null],
): void {
  database.run('INSERT OR REPLACE INTO documents (collection, key, value, expires, digest) VALUES (?, ?, ?, ?, ?)', [
    ...row,
    valueDigest(row),
  ]);
}
