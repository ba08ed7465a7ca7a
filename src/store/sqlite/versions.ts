import { setImmediate } from 'node:timers/promises';
import type { KeptVersion } from '../port/transfer.ts';
import type { Database } from './open.ts';
import { attachedOf, storedVersion } from './row-values.ts';

/** Number of resources after which the event loop gets a turn. */
const resourceSlice = 100;

/** Types with stored data in a partition (`n`), tombstones too, also undeclared ones; in order. */
export function keptTypes(database: Database, n: number): readonly string[] {
  const rows = database.all(
    'SELECT type FROM types WHERE n = ? AND EXISTS (SELECT 1 FROM resources WHERE resources.t = types.t) ORDER BY type',
    [n],
  );
  return rows.map(([type]) => String(type));
}

/**
 * All versions of the resources of a type (`t`) with their attachments, tombstones too: by id, then version; after an
 * id.
 */
export async function* keptVersions(
  database: Database,
  t: number,
  type: string,
  after: string,
): AsyncIterable<KeptVersion> {
  for (let from = after; ;) {
    const ids = database
      .all('SELECT id FROM resources WHERE t = ? AND id > ? ORDER BY id LIMIT ?', [t, from, resourceSlice])
      .map(([id]) => String(id));
    for (const id of ids) yield* versionsOf(database, t, type, id);
    from = ids.at(-1) ?? from;
    if (ids.length < resourceSlice) return;
    await setImmediate();
  }
}

/** The versions of one resource, as one snapshot. */
function versionsOf(database: Database, t: number, type: string, id: string): readonly KeptVersion[] {
  const carried = database.all(
    'SELECT version, path, digest, size, content_type FROM attachments WHERE t = ? AND id = ? ORDER BY version, item',
    [t, id],
  );
  const attached = Map.groupBy(carried, ([version]) => Number(version));
  return database
    .all(
      'SELECT id, version, last_updated, text FROM versions WHERE t = ?1 AND id = ?2 UNION ALL ' +
        'SELECT id, version, last_updated, text FROM resources WHERE t = ?1 AND id = ?2 ORDER BY version',
      [t, id],
    )
    .map(row => {
      const stored = storedVersion(type, row);
      const attachments = (attached.get(stored.version) ?? []).map(([, ...one]) => attachedOf(one));
      return { ...stored, attachments };
    });
}
