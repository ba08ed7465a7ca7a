import { RequirementFailed, VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Change, Requirement, StoredVersion, WriteOptions, WriteResult } from '../../store/port/records.ts';
import { tooManyWrites } from '../if-match.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from '../write/client-record.ts';

/** Times that a deletion is tried again, each after another write of a record. */
const mostAttempts = 100;

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
  engine: Pick<Engine, 'audit'>,
  request: FhirRequest,
  partition: Partition,
  find: (isAgain: boolean) => Promise<Removable>,
  { unit = 'all', removed = [] }: { readonly unit?: Unit; readonly removed?: StoredVersion[] } = {},
): Promise<readonly StoredVersion[]> {
  const begun = new Set<string>();
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { versions, requires } = await find(attempt > 1);
    if (versions.length === 0) return removed;
    const added = versions.filter(({ id }) => !begun.has(id));
    await Promise.all(added.map(version => engine.audit.begin(request, { ...version, key: undefined })));
    for (const { id } of added) begun.add(id);
    const { results, isDone } = await removeVersions(partition, versions, requires, unit);
    for (const [at, version] of versions.entries()) {
      const result = results.get(at);
      if (result !== undefined) removed.push({ ...version, version: result.version, lastUpdated: result.lastUpdated });
    }
    if (isDone) return removed;
  }
  throw tooManyWrites();
}

type Unit = NonNullable<WriteOptions['unit']>;

/** What a removal has done, by the index of the version. */
interface Removal {
  readonly results: ReadonlyMap<number, WriteResult>;
  /** False if a record is no longer at its version, or a requirement does not hold. */
  readonly isDone: boolean;
}

async function removeVersions(
  partition: Partition,
  versions: readonly FormerVersion[],
  requires: readonly Requirement[],
  unit: Unit,
): Promise<Removal> {
  const changes = versions.map(({ type, id, version }): Change => ({
    kind: 'remove',
    type,
    id,
    precondition: { is: 'version', version },
  }));
  try {
    const results = await partition.write(changes, { requires, unit });
    return { results: new Map(results.entries()), isDone: true };
  } catch (error) {
    if (error instanceof VersionConflict) return { results: error.done, isDone: false };
    if (error instanceof RequirementFailed) return { results: new Map(), isDone: false };
    throw error;
  }
}
