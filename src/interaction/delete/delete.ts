import { recordNotWritable } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import { fhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Requirement, StoredVersion } from '../../store/records.ts';
import { controls } from '../controls.ts';
import { onlyMatch, readCriteria, severalMatch, urlCriteria } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import { requireMatch } from '../if-match.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { handlingOf, returnOf } from '../prefer.ts';
import { refuseCostly } from '../search/costly.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import { currentOf, findCurrent } from '../write/current.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { refuseReferred, unreferred } from './referrers.ts';
import { removeRecord } from './remove-record.ts';
import type { Removable } from './remove-record.ts';

/** Records that one conditional delete deletes at most. */
const mostDeleted = 1_000;

/**
 * Delete: 204, also if there is no such record, or none for the caller. 412 if `If-Match` names another version,
 * decided in the write; 409 with the records that refer to it, unless the type declares that these may stay. Without an
 * id in the URL, of the records that match its criteria: of one, or of several where the type declares that.
 * https://hl7.org/fhir/R4/http.html#delete, https://hl7.org/fhir/R4/http.html#3.1.0.7.1
 */
export const remove: Interaction = (engine, request, partition) => {
  const type = declaredType(engine.model, request);
  return request.id === undefined
    ? removeMatches(engine, request, partition, type)
    : removeById(engine, request, partition, type);
};

async function removeById(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  type: ResourceType,
): Promise<FhirResponse> {
  const { parameters, headers, access } = request;
  controls(parameters, [], handlingOf(headers['prefer'], engine.handling));
  let tombstone: StoredVersion | undefined;
  const find = async (isAgain: boolean): Promise<Removable | undefined> => {
    const current = await findCurrent(engine, type, request, partition, 'd');
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is === 'deleted') tombstone = current.version;
    if (current.is !== 'record') return undefined;
    const { version } = current;
    const requires = requireUnreferred(request, type, version.id, [version.id]);
    // The write decides it: who refers to the record is searched only if it was refused.
    if (isAgain || engine.atEnd !== undefined) await refuseIfReferred(engine, request, partition, type, [version.id]);
    return { version, requires };
  };
  const removed = await removeRecord(engine, request, partition, find);
  const name = `\`${type.name}/${request.id}\``;
  if (removed === undefined) {
    // As for 410: that a record was deleted is only for callers who may see every record of the type.
    const isShown = tombstone !== undefined && restriction(access, type, 'r').kind === 'all';
    const done = answer(request, `${name} does not exist, so nothing was deleted.`);
    return isShown ? { ...done, etag: String(tombstone?.version) } : done;
  }
  return { ...answer(request, `${name} was deleted.`), etag: String(removed.version), records: [removed] };
}

/** Deletes what matches: each record is read again if it changes meanwhile, and remains if it matches no more. */
async function removeMatches(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  type: ResourceType,
): Promise<FhirResponse> {
  const { parameters: pairs, headers, base } = request;
  const query = await readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  const place = { partition, extract: engine.extract, base };
  const isSingle = type.conditionalDelete === 'single';
  const search = { type, sort: anyOrder, limit: isSingle ? 2 : mostDeleted + 1, after: undefined };
  const { versions } = await refuseCostly(findPage({ ...search, query }, place));
  if (isSingle && versions.length > 1) throw severalMatch(type, urlCriteria);
  if (versions.length > mostDeleted) throw tooMany(type);
  const openOf = async (found: StoredVersion | undefined): Promise<FormerVersion | undefined> => {
    const current = await currentOf(engine, type, request, partition, { letter: 'd', found });
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is !== 'record' && found !== undefined) throw recordNotWritable(base, type.name);
    return current.is === 'record' ? current.version : undefined;
  };
  if (headers['if-match'] !== undefined && versions.length === 0) await openOf(undefined);
  // All are decided before the first is deleted.
  const open = (await Promise.all(versions.map(openOf))).filter(one => one !== undefined);
  const ids = open.map(({ id }) => id);
  await refuseIfReferred(engine, request, partition, type, ids);
  const records: StoredVersion[] = [];
  for (const [at, version] of open.entries()) {
    const { id } = version;
    // Those before it are deleted: they refer to nothing any more.
    const apart = requireUnreferred(request, type, id, ids.slice(at));
    const required = [...apart, ...(isSingle ? [onlyMatch(type, query, id)] : [])];
    let found: StoredVersion | undefined = version;
    const find = async (): Promise<Removable | undefined> => {
      found ??= await matchAgain(id, ids.slice(at));
      const next = await openOf(found);
      found = undefined;
      return next === undefined ? undefined : { version: next, requires: required };
    };
    const removed = await removeRecord(engine, request, partition, find);
    if (removed !== undefined) records.push(removed);
  }
  return { ...answer(request, `Deleted: ${records.length} ${type.name}.`), records };

  /**
   * After another write: the record if it still matches, may be deleted, and is the only one where it must be. `left`
   * are the records that this request has still to delete.
   */
  async function matchAgain(id: string, left: readonly string[]): Promise<StoredVersion | undefined> {
    const same = { kind: 'and', of: [query, { kind: 'id', anyOf: [id] }] } as const;
    const again = await refuseCostly(findPage({ ...search, query: isSingle ? query : same }, place));
    if (isSingle && again.versions.length > 1) throw severalMatch(type, urlCriteria);
    await refuseIfReferred(engine, request, partition, type, [id], left);
    return again.versions.find(one => one.id === id);
  }
}

/** The deletion of a record requires that no others than these refer to it, unless the type declares that they may. */
const requireUnreferred = (
  { base }: Pick<FhirRequest, 'base'>,
  type: ResourceType,
  id: string,
  deleted: readonly string[],
): readonly Requirement[] => (type.deletePolicy === 'refuse' ? [unreferred(type, id, { deleted, base })] : []);

/**
 * Throws FhirError 409 if records other than `deleted` refer to these, unless the type declares that they may. In a
 * transaction that is decided at its end, since other entries may delete or change them.
 */
async function refuseIfReferred(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  type: ResourceType,
  ids: readonly string[],
  deleted: readonly string[] = ids,
): Promise<void> {
  if (type.deletePolicy !== 'refuse') return;
  const check = (): Promise<void> => refuseReferred(engine, request, partition, type, { ids, deleted });
  if (engine.atEnd === undefined) await check();
  else engine.atEnd(check);
}

/** 204, or 200 with the OperationOutcome that the client prefers. https://hl7.org/fhir/R4/http.html#delete */
function answer({ headers }: FhirRequest, text: string): FhirResponse {
  if (returnOf(headers.prefer) !== 'OperationOutcome') return { status: 204 };
  const outcome = operationOutcome([{ severity: 'information', code: 'informational', text }]);
  return { status: 200, body: JSON.stringify(outcome) };
}

const tooMany = ({ name }: ResourceType): Error =>
  fhirError(
    403,
    'too-costly',
    `More than ${mostDeleted} ${name} match. Narrow the criteria, and send several requests.`,
  );
