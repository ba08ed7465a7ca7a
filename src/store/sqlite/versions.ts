import { setImmediate } from 'node:timers/promises';
import type { ResourceType } from '../../model/model.ts';
import { parseOwners } from '../keys/owners.ts';
import type { Attached } from '../port/blobs.ts';
import type { StoredVersion } from '../port/records.ts';
import type { KeptVersion } from '../port/transfer.ts';
import type { Database, Row } from './open.ts';

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

/** Current versions that are read at once: their texts are in memory together. */
const currentSlice = 64;

/** The next current versions of a type (`t`), tombstones too, by id; fewer than that many are the last ones. */
export function currentSliceOf(
  database: Database,
  t: number,
  type: NamedType,
  after: string,
): { readonly versions: readonly KeptVersion[]; readonly isLast: boolean } {
  const rows = database.all(
    'SELECT id, version, last_updated, owners, text FROM resources WHERE t = ? AND id > ? ORDER BY id LIMIT ?',
    [t, after, currentSlice],
  );
  const found = rows.map(row => ownedVersion(type.name, type.declared, row));
  const carried = database.all(
    'SELECT id, version, path, digest, size, content_type FROM attachments ' +
      'WHERE t = ? AND id > ? AND id <= ? ORDER BY id, version, item',
    [t, after, found.at(-1)?.id ?? after],
  );
  const attached = Map.groupBy(carried, ([id, version]) => `${id}/${version}`);
  const versions = found.map(one => ({
    ...one,
    attachments: carried.length === 0 ? [] : (attached.get(`${one.id}/${one.version}`) ?? []).map(attachedIn),
  }));
  return { versions, isLast: rows.length < currentSlice };
}

const attachedIn = ([, , ...one]: Row): Attached => attachedOf(one);

/** A type by its name, and as the definitions declare it. */
export interface NamedType {
  readonly name: string;
  readonly declared: ResourceType | undefined;
}

/** The last versions of records of a type up to a time; one that was created later has none. */
export function versionsUntil(
  database: Database,
  t: number,
  type: NamedType,
  ids: readonly string[],
  until: number,
): readonly KeptVersion[] {
  const fields = 'SELECT id, version, last_updated, owners, text FROM';
  return ids.flatMap(id => {
    const row = database.get(
      `${fields} resources WHERE t = ?1 AND id = ?2 AND last_updated <= ?3 UNION ALL ` +
        `SELECT * FROM (${fields} versions WHERE t = ?1 AND id = ?2 AND last_updated <= ?3 ` +
        'ORDER BY version DESC LIMIT 1) ORDER BY 2 DESC LIMIT 1',
      [t, id, until],
    );
    if (row === undefined) return [];
    const stored = ownedVersion(type.name, type.declared, row);
    const carried = database.all(
      'SELECT path, digest, size, content_type FROM attachments WHERE t = ? AND id = ? AND version = ? ORDER BY item',
      [t, id, stored.version],
    );
    return { ...stored, attachments: carried.map(attachedOf) };
  });
}

/**
 * When a record was created, in milliseconds since 1970 UTC: `last_updated` of its first version after its last
 * tombstone, by its older versions. `lastUpdated` is that of its current version, which is no tombstone.
 */
export function createdOf(
  database: Database,
  { t, id, version, lastUpdated }: { t: number; id: string; version: number; lastUpdated: number },
): number {
  if (version === 1) return lastUpdated;
  const [first = lastUpdated] =
    database.get(
      'SELECT last_updated FROM versions WHERE t = ?1 AND id = ?2 AND version > (SELECT coalesce(max(version), 0) ' +
        'FROM versions WHERE t = ?1 AND id = ?2 AND text IS NULL) ORDER BY version LIMIT 1',
      [t, id],
    ) ?? [];
  return Number(first);
}

/** A version, from a row `id, version, last_updated, text`. */
const storedVersion = (type: string, [id, version, lastUpdated, text]: Row): StoredVersion =>
  versionOf(type, id, version, lastUpdated, text);

/** With its owners, from a row `id, version, last_updated, owners, text`; of an undeclared type without. */
export function ownedVersion(name: string, type: ResourceType | undefined, row: Row): StoredVersion {
  const [id, version, lastUpdated, owners, text] = row;
  const parsed = typeof owners === 'string' ? parseOwners(type, owners) : undefined;
  return versionOf(name, id, version, lastUpdated, text, parsed);
}

type Column = Row[number] | undefined;

function versionOf(
  type: string,
  id: Column,
  version: Column,
  lastUpdated: Column,
  text: Column,
  owners?: readonly string[],
): StoredVersion {
  return {
    type,
    id: String(id),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: text === null || text === undefined ? undefined : String(text),
    owners,
  };
}

/** An attachment, from a row `path, digest, size, content_type`. */
export function attachedOf([path, digest, size, contentType]: Row): Attached {
  return { path: String(path), digest: String(digest), size: Number(size), contentType: String(contentType) };
}
