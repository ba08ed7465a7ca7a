import type { KeptVersion } from '../port/transfer.ts';

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
