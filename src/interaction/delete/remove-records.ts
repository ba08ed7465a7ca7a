import type { Partition } from '../../store/port/partitions.ts';
import type { Requirement, StoredVersion, WriteOptions } from '../../store/port/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { untilCommitted } from '../write/commit.ts';
import type { CommittedChange } from '../write/context.ts';
import { contextOf } from '../write/client-context.ts';

/** Versions to delete, and what the write of their tombstones requires. */
export interface Removable {
  readonly versions: readonly FormerVersion[];
  readonly requires: readonly Requirement[];
}

/**
 * Deletes records in one write: all or none with the `unit` `all`. `find` returns their current versions, and throws
 * FhirError if they may not be deleted: it is called again (`isAgain`) for those that are left if another write comes
 * between, or if what the deletion requires does not hold. Returns the versions that the deletion made, with the
 * content of those before, for the audit; they are added to `removed`, which has them also if it throws. Throws
 * FhirError 409 if other writes come between again and again.
 */
export async function removeRecords(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  find: (isAgain: boolean) => Promise<Removable>,
  { unit = 'all', removed = [] }: { readonly unit?: Unit; readonly removed?: StoredVersion[] } = {},
): Promise<readonly StoredVersion[]> {
  const context = contextOf(engine, request);
  let isAgain = false;
  let versions: readonly FormerVersion[] = [];
  const committed = (changes: readonly CommittedChange[]): void => {
    for (const { change, result } of changes) {
      const version = versions.find(({ id }) => id === change.id);
      if (version !== undefined) removed.push({ ...version, version: result.version, lastUpdated: result.lastUpdated });
    }
    context.committed?.(changes);
  };
  await untilCommitted({ ...context, committed }, request, partition, async () => {
    const found = await find(isAgain);
    ({ versions } = found);
    isAgain = true;
    return {
      changes: versions.map(({ type, id, version }) => ({
        change: { kind: 'remove', type, id, precondition: { is: 'version', version } } as const,
        contents: [],
      })),
      options: { requires: found.requires, unit },
      begun: versions.map(version => ({ ...version, key: undefined })),
    };
  });
  return removed;
}

type Unit = NonNullable<WriteOptions['unit']>;
