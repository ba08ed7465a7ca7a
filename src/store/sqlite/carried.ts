import { setImmediate } from 'node:timers/promises';
import type { Attached, KeptAttachment } from '../blobs.ts';
import type { Database, Row } from './open.ts';
import { attachedOf } from './row-values.ts';

/** Rows, or requested records, after which the event loop gets a turn. */
const recordSlice = 200;

/** The attachments of the current resources of a type, or of these only, in id order. */
export async function* carried(
  database: Database,
  t: number,
  type: string,
  ids: readonly string[] | undefined,
): AsyncIterable<KeptAttachment> {
  const pages = ids === undefined ? allPages(database, t) : pagesOf(database, t, ids);
  for (const rows of pages) {
    for (const row of rows) yield keptAttachment(type, row);
    await setImmediate();
  }
}

const columns = 'a.id, a.item, a.version, a.path, a.digest, a.size, a.content_type';
const current = 'resources r ON r.t = a.t AND r.id = a.id AND r.version = a.version';

function* allPages(database: Database, t: number): Iterable<readonly Row[]> {
  let rows: readonly Row[] = [];
  do {
    const [id = '', item = -1] = rows.at(-1) ?? [];
    rows = database.all(
      `SELECT ${columns} FROM attachments a CROSS JOIN ${current} WHERE a.t = ? AND a.id >= ? AND ` +
        '(a.id > ? OR a.item > ?) ORDER BY a.id, a.item LIMIT ?',
      [t, id, id, item, recordSlice],
    );
    yield rows;
  } while (rows.length === recordSlice);
}

function* pagesOf(database: Database, t: number, ids: readonly string[]): Iterable<readonly Row[]> {
  const sorted = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  for (let at = 0; at < sorted.length; at += recordSlice)
    yield database.all(
      `SELECT ${columns} FROM json_each(?) j CROSS JOIN attachments a ON a.t = ? AND a.id = j.value ` +
        `CROSS JOIN ${current} ORDER BY a.id, a.item`,
      [JSON.stringify(sorted.slice(at, at + recordSlice)), t],
    );
}

function keptAttachment(type: string, [id, , version, ...attached]: Row): KeptAttachment {
  return { type, id: String(id), version: Number(version), ...attachedOf(attached) };
}

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
  if (attachments === undefined) return true;
  const said = attachments.map(({ path, digest, size, contentType }) => ({ path, digest, size, contentType }));
  return JSON.stringify(attachedTo(database, t, id, version)) === JSON.stringify(said);
}
