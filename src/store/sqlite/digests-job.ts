import type { Job, JobResult } from './jobs.ts';
import type { Database } from './open.ts';

/** Adds digests to versions, unless they have one, or the resource has another version now. Done: their number. */
export function fillDigests(database: Database, { table, rows }: Extract<Job, { kind: 'digests' }>): JobResult {
  let filled = 0;
  for (const { rowid, version, digest } of rows)
    filled += database.run(`UPDATE ${table} SET digest = ? WHERE rowid = ? AND version = ? AND digest IS NULL`, [
      digest,
      rowid,
      version,
    ]).changes;
  return { kind: 'done', value: filled };
}
