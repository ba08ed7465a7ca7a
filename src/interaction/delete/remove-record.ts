import { RequirementFailed, VersionConflict } from '../../store/errors.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Requirement, StoredVersion, WriteResult } from '../../store/records.ts';
import { tooManyWrites } from '../if-match.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from '../write/client-record.ts';

/** Times that a deletion is tried again, each after another write of the record. */
const mostAttempts = 100;

/** A version to delete, and what the write of its tombstone requires. */
export interface Removable {
  readonly version: FormerVersion;
  readonly requires: readonly Requirement[];
}

/**
 * Deletes a record. `find` returns its current version, or undefined if there is nothing to delete, and throws
 * FhirError if it may not be deleted: it is called again (`isAgain`) if another write comes between, or if what the
 * deletion requires does not hold. Returns the version that the deletion made, with the content of the one before, for
 * the audit. Throws FhirError 409 if other writes come between again and again.
 */
export async function removeRecord(
  engine: Pick<Engine, 'audit'>,
  request: FhirRequest,
  partition: Partition,
  find: (isAgain: boolean) => Promise<Removable | undefined>,
): Promise<StoredVersion | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const found = await find(attempt > 1);
    if (found === undefined) return undefined;
    const { version, requires } = found;
    if (attempt === 1) await engine.audit.begin(request, { ...version, key: undefined });
    const result = await removeVersion(partition, version, requires);
    if (result !== undefined) return { ...version, version: result.version, lastUpdated: result.lastUpdated };
  }
  throw tooManyWrites();
}

/** The result of a removal; undefined if the record is no longer at this version, or a requirement does not hold. */
async function removeVersion(
  partition: Partition,
  { type, id, version }: FormerVersion,
  requires: readonly Requirement[],
): Promise<WriteResult | undefined> {
  const change = { kind: 'remove', type, id, precondition: { is: 'version', version } } as const;
  try {
    const [result] = await partition.write([change], { requires });
    return result;
  } catch (error) {
    if (error instanceof VersionConflict || error instanceof RequirementFailed) return undefined;
    throw error;
  }
}
