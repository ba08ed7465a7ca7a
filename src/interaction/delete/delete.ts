import { recordNotWritable } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import { fhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Requirement, StoredVersion } from '../../store/port/records.ts';
import { refuseControls, returnOf } from '../controls.ts';
import { onlyMatch, readCriteria, severalMatch, urlCriteria } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import { requireMatch } from '../if-match.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { refuseCostly } from '../search/deadline.ts';
import { findPage } from '../search/find.ts';
import { anyOrder } from '../search/joined.ts';
import { contextOf } from '../write/client-context.ts';
import { currentOf, findCurrent } from '../write/current.ts';
import type { FormerVersion } from '../write/client-record.ts';
import { untilCommitted } from '../write/commit.ts';
import type { CommittedChange } from '../write/context.ts';
import { refuseReferred, unreferred } from './referrers.ts';

/** Records that one conditional delete deletes at most. */
const mostDeleted = 1_000;

/**
 * Delete: 204, also if there is no such record, or none for the caller. 412 if `If-Match` names another version,
 * decided in the write; 409 with the records that refer to it, unless the type declares that these may stay. Without an
 * id in the URL, of the records that match its criteria: of one, or of several where the type declares that.
 * https://hl7.org/fhir/R4/http.html#delete, https://hl7.org/fhir/R4/http.html#3.1.0.7.1
 */
export const remove: Interaction = (engine, request) => {
  const type = declaredType(engine.model, request);
  return request.id === undefined ? removeMatches(engine, request, type) : removeById(engine, request, type);
};

async function removeById(engine: Engine, request: FhirRequest, type: ResourceType): Promise<FhirResponse> {
  const { headers, access } = request;
  refuseControls(request);
  let tombstone: StoredVersion | undefined;
  const find = async (isAgain: boolean): Promise<Removable> => {
    const current = await findCurrent(engine, type, request, 'd');
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is === 'deleted') tombstone = current.version;
    return removable(engine, request, type, current.is === 'record' ? [current.version] : [], isAgain);
  };
  const [removed] = await removeRecords(engine, request, find);
  const name = `\`${type.name}/${request.id}\``;
  if (removed === undefined) {
    // That a record was deleted is only for callers who may see every record of the type, as for 410.
    const isShown = tombstone !== undefined && restriction(access, type, 'r').kind === 'all';
    const done = answer(request, `${name} does not exist, so nothing was deleted.`);
    return isShown ? { ...done, etag: String(tombstone?.version) } : done;
  }
  return { ...answer(request, `${name} was deleted.`), etag: String(removed.version), records: [removed] };
}

/**
 * Deletes what matches, in one write. A record that changes meanwhile is read again, and remains if it matches no more.
 */
async function removeMatches(engine: Engine, request: FhirRequest, type: ResourceType): Promise<FhirResponse> {
  const { parameters: pairs, headers, base, partition } = request;
  const query = await readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  const place = { partition, extract: engine.extract, base };
  const isSingle = type.conditionalDelete === 'single';
  const openOf = async (found: StoredVersion | undefined): Promise<FormerVersion | undefined> => {
    const current = await currentOf(engine, type, request, { letter: 'd', found });
    requireMatch(headers, type, current.is === 'record' ? current.version : undefined);
    if (current.is !== 'record' && found !== undefined) throw recordNotWritable(base, type.name);
    return current.is === 'record' ? current.version : undefined;
  };
  /** The matches. Throws FhirError if one of them may not be deleted. */
  const match = async (): Promise<readonly FormerVersion[]> => {
    const search = { type, query, sort: anyOrder, limit: isSingle ? 2 : mostDeleted + 1, after: undefined };
    const { versions } = await refuseCostly(findPage(search, place));
    if (isSingle && versions.length > 1) throw severalMatch(type, urlCriteria);
    if (versions.length > mostDeleted) throw tooMany(type);
    if (headers['if-match'] !== undefined && versions.length === 0) await openOf(undefined);
    return (await Promise.all(versions.map(openOf))).filter(one => one !== undefined);
  };
  const records = await removeRecords(engine, request, async isAgain => {
    const versions = await match();
    const found = await removable(engine, request, type, versions, isAgain);
    const only = isSingle ? versions.map(({ id }) => onlyMatch(type, query, id)) : [];
    return { ...found, requires: [...found.requires, ...only] };
  });
  return { ...answer(request, `Deleted: ${records.length} ${type.name}.`), records };
}

/**
 * Versions of one type with what their deletion requires: that no records but the deleted ones refer to them, unless
 * the type declares that they may. Throws FhirError 409 with the referrers.
 */
async function removable(
  engine: Engine,
  request: FhirRequest,
  type: ResourceType,
  versions: readonly FormerVersion[],
  isAgain: boolean,
): Promise<Removable> {
  const ids = versions.map(({ id }) => id);
  if (ids.length === 0 || type.deletePolicy !== 'refuse') return { versions, requires: [] };
  // The write decides it: who refers to a record is searched only if it was refused.
  if (isAgain || contextOf(engine, request).atEnd !== undefined) await refuseIfReferred(engine, request, type, ids);
  return { versions, requires: [unreferred(type, ids, { deleted: ids, base: request.base })] };
}

/**
 * Throws FhirError 409 if records other than these refer to them, unless the type declares that they may. In a
 * transaction that is decided at its end, since other entries may delete or change them.
 */
async function refuseIfReferred(
  engine: Engine,
  request: FhirRequest,
  type: ResourceType,
  ids: readonly string[],
): Promise<void> {
  if (type.deletePolicy !== 'refuse') return;
  const check = (): Promise<void> => refuseReferred(engine, request, type, { ids, deleted: ids });
  const { atEnd } = contextOf(engine, request);
  if (atEnd === undefined) await check();
  else atEnd(check);
}

/** Versions to delete, and what the write of their tombstones requires. */
interface Removable {
  readonly versions: readonly FormerVersion[];
  readonly requires: readonly Requirement[];
}

/**
 * Deletes records in one write, all or none. `find` returns their current versions, and throws FhirError if they may
 * not be deleted: it is called again (`isAgain`) for those that are left if another write comes between, or if what the
 * deletion requires does not hold. Returns the versions that the deletion made, with the content of those before, for
 * the audit. Throws FhirError 409 if other writes come between again and again.
 */
async function removeRecords(
  engine: Engine,
  request: FhirRequest,
  find: (isAgain: boolean) => Promise<Removable>,
): Promise<readonly StoredVersion[]> {
  const context = contextOf(engine, request);
  const removed: StoredVersion[] = [];
  let isAgain = false;
  let versions: readonly FormerVersion[] = [];
  const committed = (changes: readonly CommittedChange[]): void => {
    for (const { change, result } of changes) {
      const version = versions.find(({ id }) => id === change.id);
      if (version !== undefined) removed.push({ ...version, version: result.version, lastUpdated: result.lastUpdated });
    }
    context.committed?.(changes);
  };
  await untilCommitted({ ...context, committed }, request, async () => {
    const found = await find(isAgain);
    ({ versions } = found);
    isAgain = true;
    return {
      changes: versions.map(({ type, id, version }) => ({
        change: { kind: 'remove', type, id, precondition: { is: 'version', version } } as const,
        contents: [],
      })),
      options: { requires: found.requires },
      begun: versions.map(version => ({ ...version, key: undefined })),
    };
  });
  return removed;
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
