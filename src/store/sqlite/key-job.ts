import { valueDigest } from '../record-digest.ts';
import type { JobResult, WriteJob, Written } from './jobs.ts';
import type { Database } from './open.ts';

type Earlier = Extract<JobResult, { kind: 'written' | 'keyUsed' }>;

/** The earlier use of the key of a write: its first results, or that its body was another. Undefined if it is free. */
export function earlier(database: Database, { n, key, now }: Pick<WriteJob, 'n' | 'key' | 'now'>): Earlier | undefined {
  if (key === undefined) return undefined;
  const [body, results] =
    database.get('SELECT body, results FROM keys WHERE n = ? AND key = ? AND expires > ?', [n, key.key, now]) ?? [];
  if (body === undefined) return undefined;
  return body === key.body
    ? { kind: 'written', repeated: true, results: JSON.parse(String(results)) }
    : { kind: 'keyUsed' };
}

/** Stores the results of a write with its key. */
export function keepKey(
  database: Database,
  { n, key }: Pick<WriteJob, 'n' | 'key'>,
  results: readonly Written[],
): void {
  if (key === undefined) return;
  const row = [n, key.key, key.body, JSON.stringify(results), key.expires] as const;
  database.run('INSERT OR REPLACE INTO keys (n, key, body, results, expires, digest) VALUES (?, ?, ?, ?, ?, ?)', [
    ...row,
    valueDigest(row),
  ]);
}
