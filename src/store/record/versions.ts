import type { StoredVersion } from '../port/records.ts';
import type { HistoryScope, KeptVersion, VersionKey } from '../port/transfer.ts';

/** Compares places in the order of a scope. */
export function versionOrder(order: HistoryScope['order']): (a: VersionKey, b: VersionKey) => number {
  return order === 'newest' ? (a, b) => compare(b, a) : compare;
}

function compare(a: VersionKey, b: VersionKey): number {
  return (
    a.lastUpdated - b.lastUpdated || compareTexts(a.type, b.type) || compareTexts(a.id, b.id) || a.version - b.version
  );
}

/** Compares by UTF-16 units, which for types and ids is the order of both stores. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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

/** The versions of one resource, in order. */
export type VersionsOfOne = readonly [KeptVersion, ...KeptVersion[]];

/** Groups versions by resource. Throws Error if those of a resource are not adjacent and in order. */
export function byResource(versions: readonly KeptVersion[]): readonly VersionsOfOne[] {
  const resources = new Map<string, [KeptVersion, ...KeptVersion[]]>();
  let last: KeptVersion | undefined;
  for (const version of versions) {
    const key = `${version.type}/${version.id}`;
    const known = resources.get(key);
    const follows = last?.type === version.type && last.id === version.id && last.version < version.version;
    if (known !== undefined && !follows) throw new Error(`The versions of ${key} are not adjacent and in order`);
    if (known === undefined) resources.set(key, [version]);
    else known.push(version);
    last = version;
  }
  return [...resources.values()];
}
