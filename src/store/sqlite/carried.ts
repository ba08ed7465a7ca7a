import type { Attached } from '../port/blobs.ts';
import { printAttached } from '../record/digest.ts';
import type { Database } from './open.ts';
import { attachedOf } from './row-values.ts';

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
