import { VersionConflict } from '../../store/errors.ts';
import type { Partition } from '../../store/partitions.ts';
import type { StoredVersion, WriteResult } from '../../store/records.ts';
import { tooManyWrites } from '../if-match.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import type { FormerVersion } from '../write/client-record.ts';

/** Times that a deletion is tried again, each after another write of the record. */
const mostAttempts = 100;

/**
 * Deletes a record. `find` returns its current version, or undefined if there is nothing to delete, and throws
 * FhirError if it may not be deleted: it is called again if another write comes between. Returns the version that the
 * deletion made, with the content of the one before, for the audit. Throws FhirError 409 if other writes come between
 * again and again.
 */
export async function removeRecord(
  engine: Pick<Engine, 'audit'>,
  request: FhirRequest,
  partition: Partition,
  find: () => Promise<FormerVersion | undefined>,
): Promise<StoredVersion | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const version = await find();
    if (version === undefined) return undefined;
    if (attempt === 1) await engine.audit.begin(request, { ...version, key: undefined });
    const result = await removeVersion(partition, version);
    if (result !== undefined) return { ...version, version: result.version, lastUpdated: result.lastUpdated };
  }
  throw tooManyWrites();
}

/** The result of a removal; undefined if the record is no longer at this version. */
async function removeVersion(
  partition: Partition,
  { type, id, version }: FormerVersion,
): Promise<WriteResult | undefined> {
  try {
    const [result] = await partition.write([{ kind: 'remove', type, id, precondition: { is: 'version', version } }]);
    return result;
  } catch (error) {
    if (error instanceof VersionConflict) return undefined;
    throw error;
  }
}
