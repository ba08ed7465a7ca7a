import type { HistoryScope, KeptVersion, VersionKey, VersionScope } from '../port/transfer.ts';

/** What a store reads of the versions of a partition. */
export interface VersionDriver {
  /** Types with stored records, tombstones too, also those that the definitions do not declare; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the records of a type whose ids come after one, by id, then version. */
  versions(type: string, after: string): AsyncIterable<KeptVersion>;
  /** The next versions in the order of time. */
  slice(scope: HistoryScope): Promise<VersionSlice>;
}

export interface VersionSlice {
  readonly versions: readonly KeptVersion[];
  /** The end of the slice; undefined if nothing follows. */
  readonly last: VersionKey | undefined;
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

async function* walk(driver: VersionDriver, scope: HistoryScope): AsyncIterable<KeptVersion> {
  for (let { after } = scope; ;) {
    const { versions, last } = await driver.slice({ ...scope, after });
    yield* versions;
    if (last === undefined) return;
    after = last;
  }
}
