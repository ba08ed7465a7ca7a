import type { KeptVersion, VersionScope } from '../transfer.ts';

/** What a store reads of the versions of a partition. */
export interface VersionDriver {
  /** Types with stored records, tombstones too, also those that the definitions do not declare; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the records of a type whose ids come after one, by id, then version. */
  versions(type: string, after: string): AsyncIterable<KeptVersion>;
}

/** The versions of a partition in the scope, by type, then id, then version. */
export async function* exportVersions(
  driver: VersionDriver,
  { type: only, after }: VersionScope = {},
): AsyncIterable<KeptVersion> {
  for (const type of only === undefined ? await driver.types() : [only])
    if (after === undefined || type >= after.type) yield* driver.versions(type, after?.type === type ? after.id : '');
}
