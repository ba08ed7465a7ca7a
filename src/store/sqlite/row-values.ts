import type { ResourceType } from '../../model/model.ts';
import type { Attached } from '../blobs.ts';
import { parseOwners } from '../owners.ts';
import type { StoredVersion } from '../records.ts';
import type { Row } from './open.ts';

/** A version, from a row `id, version, last_updated, text`. */
export function storedVersion(type: string, [id, version, lastUpdated, text = null]: Row): StoredVersion {
  return {
    type,
    id: String(id),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: text === null ? undefined : String(text),
  };
}

/** With its owners, from a row `id, version, last_updated, owners, text`; of an undeclared type without. */
export function ownedVersion(name: string, type: ResourceType | undefined, row: Row): StoredVersion {
  const [id = null, version = null, lastUpdated = null, owners, text = null] = row;
  return {
    ...storedVersion(name, [id, version, lastUpdated, text]),
    owners: typeof owners === 'string' ? parseOwners(type, owners) : undefined,
  };
}

/** An attachment, from a row `path, digest, size, content_type`. */
export function attachedOf([path, digest, size, contentType]: Row): Attached {
  return { path: String(path), digest: String(digest), size: Number(size), contentType: String(contentType) };
}
