import type { Attached } from '../port/blobs.ts';
import { claimBytes } from '../files/attachments.ts';
import { JobStopped } from './job-stopped.ts';
import type { PreparedChange } from './jobs.ts';
import type { Database } from './open.ts';

/**
 * Stores the attachments of a new version: those of the change, or those of the version before. Stops the job with
 * `bytesMissing` if an attachment does not exist; none are swept during this transaction.
 */
export function attach(
  database: Database,
  file: string,
  n: number,
  { t, id, attachments }: PreparedChange,
  version: number,
): void {
  if (attachments === undefined) {
    if (version > 1)
      database.run(
        'INSERT INTO attachments (t, id, version, item, n, path, digest, size, content_type) SELECT t, ' +
          'id, ?, item, n, path, digest, size, content_type FROM attachments WHERE t = ? AND id = ? AND version = ?',
        [version, t, id, version - 1],
      );
    return;
  }
  attachKept(database, file, n, { t, id, version }, attachments);
}

/** The same for a version with all of its attachments given. */
export function attachKept(
  database: Database,
  file: string,
  n: number,
  { t, id, version }: { readonly t: number; readonly id: string; readonly version: number },
  attachments: readonly Attached[],
): void {
  for (const [item, { path, digest, size, contentType }] of attachments.entries()) {
    if (!claimBytes(file, n, digest, size)) throw new JobStopped({ kind: 'bytesMissing', digest });
    database.run(
      'INSERT INTO attachments (t, id, version, item, n, path, digest, size, content_type) VALUES (?, ' +
        '?, ?, ?, ?, ?, ?, ?, ?)',
      [t, id, version, item, n, path, digest, size, contentType],
    );
  }
}
