import type { Attached } from '../blobs.ts';
import { claimBytes } from './attachment-trash.ts';
import { JobStopped } from './job-stopped.ts';
import type { PreparedChange } from './jobs.ts';
import type { Database } from './open.ts';

/**
 * Writes down what a new version carries: what the change says, or what the version before carries. Stops the job with
 * `bytesMissing` where bytes are not kept; none are swept while this transaction runs.
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
        'INSERT INTO attachments (t, id, version, item, n, path, digest, size, content_type) SELECT t, id, ?, item, n, path, digest, size, content_type FROM attachments WHERE t = ? AND id = ? AND version = ?',
        [version, t, id, version - 1],
      );
    return;
  }
  attachKept(database, file, n, { t, id, version }, attachments);
}

/** The same for a version that says all that it carries. */
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
      'INSERT INTO attachments (t, id, version, item, n, path, digest, size, content_type) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      [t, id, version, item, n, path, digest, size, contentType],
    );
  }
}
