import { versionOrder } from '../record/versions.ts';
import type { HistoryScope, KeptVersion, VersionKey, VersionScope } from '../port/transfer.ts';

/** What a store reads of the versions of a partition. */
export interface VersionDriver {
  /** Types with stored records, tombstones too, also those that the definitions do not declare; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the records of a type whose ids come after one, by id, then version. */
  versions(type: string, after: string): AsyncIterable<KeptVersion>;
  /** The keys of the next versions in the order of time, in any order; others may be among them, also twice. */
  keys(scope: HistoryScope): Promise<readonly VersionKey[]>;
  /** The versions with these keys, in their order, without those that do not exist. */
  at(keys: readonly VersionKey[]): AsyncIterable<KeptVersion>;
}

/** The versions of a partition in the scope: by type, then id, then version, or in the order of time. */
export async function* exportVersions(
  driver: VersionDriver,
  scope: VersionScope | HistoryScope = {},
): AsyncIterable<KeptVersion> {
  if ('order' in scope) yield* walk(driver, scope);
  else {
    const { type: only, after } = scope;
    for (const type of only === undefined ? await driver.types() : [only])
      if (after === undefined || type >= after.type) yield* driver.versions(type, after?.type === type ? after.id : '');
  }
}

/** Walks in slices: the keys of a slice are merged and sorted, then their versions are read. */
async function* walk(driver: VersionDriver, scope: HistoryScope): AsyncIterable<KeptVersion> {
  const order = versionOrder(scope.order);
  const { from = -Infinity, to = Infinity } = scope;
  for (let { after } = scope; ;) {
    const keys = new Map<string, VersionKey>();
    for (const key of await driver.keys({ ...scope, after })) {
      const { type, id, version, lastUpdated } = key;
      const isIn = lastUpdated >= from && lastUpdated <= to && (after === undefined || order(key, after) > 0);
      if (isIn) keys.set(`${type}/${id}/${version}`, key);
    }
    const next = [...keys.values()].sort(order).slice(0, scope.slice);
    yield* driver.at(next);
    if (next.length < scope.slice) return;
    after = next.at(-1);
  }
}
