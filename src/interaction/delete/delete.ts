import { restriction } from '../../auth/restrict.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import { VersionConflict } from '../../store/errors.ts';
import type { Partition } from '../../store/partitions.ts';
import type { WriteResult } from '../../store/records.ts';
import { controls } from '../controls.ts';
import { declaredType } from '../declared.ts';
import { requireMatch, tooManyWrites } from '../if-match.ts';
import type { FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { handlingOf, returnOf } from '../prefer.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { findCurrent } from '../write/current.ts';
import { refuseReferred } from './referrers.ts';

/** Times that a deletion is tried again, each after another write of the record. */
const mostAttempts = 100;

/**
 * Delete: 204, also if there is no such record, or none for the caller. 412 if `If-Match` names another version,
 * decided in the write; 409 with the records that refer to it, unless the type declares that these may stay.
 * https://hl7.org/fhir/R4/http.html#delete
 */
export const remove: Interaction = async (engine, request, partition) => {
  const { parameters, headers } = request;
  const type = declaredType(engine.model, request);
  controls(parameters, [], handlingOf(headers['prefer'], engine.handling));
  for (let attempt = 1; ; attempt += 1) {
    const current = await findCurrent(engine, type, request, partition, 'd');
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is !== 'record') {
      const done = answer(request, type, 'does not exist, so nothing was deleted.');
      // As for 410: that a record was deleted is only for callers who may see every record of the type.
      const isShown = current.is === 'deleted' && restriction(request.access, type, 'r').kind === 'all';
      return isShown ? { ...done, etag: String(current.version.version) } : done;
    }
    const { version } = current;
    if (type.deletePolicy === 'refuse') await refuseReferred(engine, request, partition, type, version.id);
    if (attempt === 1) await engine.audit.begin(request, { ...version, key: undefined });
    const result = await removeVersion(partition, version);
    if (result !== undefined) {
      // The event names the version that the deletion made, and the patients of the one before.
      const records = [{ ...version, version: result.version, lastUpdated: result.lastUpdated }];
      return { ...answer(request, type, 'was deleted.'), etag: String(result.version), records };
    }
    if (attempt === mostAttempts) throw tooManyWrites();
  }
};

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

/** 204, or 200 with the OperationOutcome that the client prefers. https://hl7.org/fhir/R4/http.html#delete */
function answer({ headers, id }: FhirRequest, { name }: ResourceType, done: string): FhirResponse {
  if (returnOf(headers.prefer) !== 'OperationOutcome') return { status: 204 };
  const text = `\`${name}/${id}\` ${done}`;
  const outcome = operationOutcome([{ severity: 'information', code: 'informational', text }]);
  return { status: 200, body: JSON.stringify(outcome) };
}
