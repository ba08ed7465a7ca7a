import { RequirementFailed, VersionConflict } from '../../store/errors.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Change, Requirement, StoredVersion, WriteResult } from '../../store/records.ts';
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
 * Deletes records in one write. `find` returns their current versions, and throws FhirError if they may not be deleted:
 * it is called again (`isAgain`) if another write comes between, or if what the deletion requires does not hold.
 * Returns the versions that the deletion made, with the content of those before, for the audit. Throws FhirError 409 if
 * other writes come between again and again.
 */
export async function removeRecords(
  engine: Pick<Engine, 'audit'>,
  request: FhirRequest,
  partition: Partition,
  find: (isAgain: boolean) => Promise<Removable>,
): Promise<readonly StoredVersion[]> {
  const begun = new Set<string>();
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const { versions, requires } = await find(attempt > 1);
    if (versions.length === 0) return [];
    const added = versions.filter(({ id }) => !begun.has(id));
    await Promise.all(added.map(version => engine.audit.begin(request, { ...version, key: undefined })));
    for (const { id } of added) begun.add(id);
    const results = await removeVersions(partition, versions, requires);
    if (results !== undefined) return versions.map((version, at) => ({ ...version, ...changed(results[at]) }));
  }
  throw tooManyWrites();
}

/** The results of a removal; undefined if a record is no longer at its version, or a requirement does not hold. */
async function removeVersions(
  partition: Partition,
  versions: readonly FormerVersion[],
  requires: readonly Requirement[],
): Promise<readonly WriteResult[] | undefined> {
  const changes = versions.map(({ type, id, version }): Change => ({
    kind: 'remove',
    type,
    id,
    precondition: { is: 'version', version },
  }));
  try {
    return await partition.write(changes, { requires });
  } catch (error) {
    if (error instanceof VersionConflict || error instanceof RequirementFailed) return undefined;
    throw error;
  }
}

function changed(result: WriteResult | undefined): Pick<StoredVersion, 'version' | 'lastUpdated'> {
  if (result === undefined) throw new Error('A write gives a result for each change');
  return { version: result.version, lastUpdated: result.lastUpdated };
}
