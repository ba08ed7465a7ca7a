import type { ResourceType } from '../../model/model.ts';
import type { Attached } from '../port/blobs.ts';
import { parseOwners } from '../keys/owners.ts';
import type { StoredVersion } from '../port/records.ts';
import type { Row } from './open.ts';

/** A version, from a row `id, version, last_updated, text`. */
export const storedVersion = (type: string, [id, version, lastUpdated, text]: Row): StoredVersion =>
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
