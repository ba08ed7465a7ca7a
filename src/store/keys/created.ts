import type { StoredVersion } from '../port/records.ts';

/**
 * When a record with these versions, in any order, was created: `lastUpdated` of the first one after the last
 * tombstone; undefined if it ends with a tombstone.
 */
export function createdAmong(
  versions: readonly Pick<StoredVersion, 'version' | 'lastUpdated' | 'text'>[],
): number | undefined {
  let created: number | undefined;
  for (const { lastUpdated, text } of versions.toSorted((a, b) => a.version - b.version))
    created = text === undefined ? undefined : (created ?? lastUpdated);
  return created;
}
