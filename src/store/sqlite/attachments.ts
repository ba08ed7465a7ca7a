import { claimBytes } from '../files/attachments.ts';
import type { KnownAttachments } from '../files/sweep.ts';
import type { Attached } from '../port/blobs.ts';
import { printAttached } from '../record/digest.ts';
import { JobStopped, type PreparedChange } from './jobs.ts';
import type { Database } from './open.ts';
import { attachedOf } from './versions.ts';

/** The attachments of a version, in order. */
export function attachedTo(database: Database, t: number, id: string, version: number): readonly Attached[] {
  return database
    .all(
      'SELECT path, digest, size, content_type FROM attachments WHERE t = ? AND id = ? AND version = ? ORDER BY item',
      [t, id, version],
    )
    .map(attachedOf);
}

/** Whether a version has the attachments of a change, which may have none. */
export function carriesSame(
  database: Database,
  t: number,
  id: string,
  version: number,
  attachments: readonly Attached[] | undefined,
): boolean {
  return (
    attachments === undefined || printAttached(attachedTo(database, t, id, version)) === printAttached(attachments)
  );
}

/** What the rows of a file say of the attachments beside it. */
export const knownAttachments = (database: Database): KnownAttachments => ({
  partitions() {
    const [last = 0] = database.get(`SELECT seq FROM sqlite_sequence WHERE name = 'partitions'`) ?? [];
    return { existing: new Set(database.all('SELECT n FROM partitions').map(([n]) => Number(n))), last: Number(last) };
  },
  referred(n, digits) {
    const rows = database.all('SELECT DISTINCT digest FROM attachments WHERE n = ? AND digest >= ? AND digest < ?', [
      n,
      digits,
      `${digits}g`,
    ]);
    return new Set(rows.map(([digest]) => String(digest)));
  },
  isReferred: (n, digest) =>
    database.get('SELECT 1 FROM attachments WHERE n = ? AND digest = ? LIMIT 1', [n, digest]) !== undefined,
  references(n, digits) {
    const rows = database.all(
      'SELECT a.digest, a.size, types.type, a.id, a.version FROM attachments a JOIN types USING (t) ' +
        'WHERE a.n = ? AND a.digest >= ? AND a.digest < ?',
      [n, digits, `${digits}g`],
    );
    return rows.map(([digest, size, type, id, version]) => ({
      digest: String(digest),
      size: Number(size),
      record: `${type}/${id}/_history/${version}`,
    }));
  },
});

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

/** Stores the given attachments of a version, which are all of them. Stops the job like `attach`. */
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
