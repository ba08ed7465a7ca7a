import { isWithin, restriction } from '../../auth/restrict.ts';
import { isWritable } from '../../auth/may.ts';
import type { Letter } from '../../auth/scope.ts';
import { recordNotChangeable, recordNotWritable } from '../../auth/refusals.ts';
import { isId } from '../../fhir/reference.ts';
import type { ResourceType } from '../../model/model.ts';
import { hasText } from '../../store/port/records.ts';
import type { Requirement, StoredVersion } from '../../store/port/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { gone, notFound } from '../../fhir/error.ts';
import type { Query } from '../../search/ast.ts';
import { oneMatch, onlyMatch, readCriteria, urlCriteria } from '../criteria.ts';
import { requireMatch } from '../if-match.ts';
import type { FormerVersion } from './client-record.ts';

/**
 * The current version of a record that a request changes in part (`what`, the subject of a sentence). The answer shows
 * what the record has, in its errors too, so that the caller must be able to read it. Throws FhirError 403 if not, 404
 * and 410 as a read, and 412 if `If-Match` names another version.
 */
export function requireChangeable(
  { extract }: Pick<Engine, 'extract'>,
  type: ResourceType,
  { id = '', access, base, headers, partition }: FhirRequest,
  { current, what }: { readonly current: CurrentRecord; readonly what: string },
): FormerVersion {
  // That a record was deleted is only for callers who may see every record of the type.
  if (current.is === 'deleted' && restriction(access, type, 'r').kind === 'all')
    throw gone(type.name, id, current.version.version);
  if (current.is !== 'record') throw notFound(type.name, id);
  const { version } = current;
  const isReadable = (['r', 's'] as const).some(letter =>
    isWithin(restriction(access, type, letter), type, version, extract, partition),
  );
  if (!isReadable) throw recordNotChangeable(base, type.name, what);
  requireMatch(headers, type, version);
  return version;
}

/** The record that a write concerns, as its caller may see it. */
export type CurrentRecord =
  | { readonly is: 'record'; readonly version: FormerVersion }
  /** Deleted, which the caller may know. */
  | { readonly is: 'deleted'; readonly version: StoredVersion }
  /** There is none, or none for the caller, who may take its id only if it is free. */
  | { readonly is: 'none'; readonly isFree: boolean };

/** The part of a request that decides which records it may write. */
type WriteRequest = Pick<FhirRequest, 'base' | 'access' | 'partition'>;

/**
 * The current version of the record that a request writes to. One that the caller may neither write nor read does not
 * exist for the caller; neither does a deleted one, unless the caller may write its last content. Throws FhirError 403
 * for a record that the caller may read, but not write.
 */
export async function findCurrent(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  request: WriteRequest & Pick<FhirRequest, 'id'>,
  letter: Letter,
): Promise<CurrentRecord> {
  const { id = '' } = request;
  const found = isId(id) ? await request.partition.read(type.name, id) : undefined;
  return currentOf(engine, type, request, { letter, found });
}

/** The record of a current version that has been read. */
export async function currentOf(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  { base, access, partition }: WriteRequest,
  { letter, found }: { readonly letter: Letter; readonly found: StoredVersion | undefined },
): Promise<CurrentRecord> {
  if (found === undefined) return { is: 'none', isFree: true };
  const place = { model, extract, base, partition };
  const last = hasText(found) ? found : await partition.read(type.name, found.id, found.version - 1);
  const rule = restriction(access, type, letter);
  const isWithinRule =
    last === undefined || !hasText(last) ? rule.kind === 'all' : isWithin(rule, type, last, extract, partition);
  if (!hasText(found)) return isWithinRule ? { is: 'deleted', version: found } : { is: 'none', isFree: false };
  // The whole change of an update is decided with the new content.
  const isOpen = letter === 'd' ? isWritable(access, type, letter, { before: found }, place) : isWithinRule;
  if (isOpen) return { is: 'record', version: found };
  if (isWithinRule || isWithin(restriction(access, type, 'r'), type, found, extract, partition))
    throw recordNotWritable(base, type.name);
  return { is: 'none', isFree: false };
}

/** The one record that matches the criteria of the URL of a request. */
interface MatchedRecord {
  readonly query: Query;
  /** The version that matched, so that it still matches in the write; undefined if nothing does. */
  readonly found: StoredVersion | undefined;
  readonly current: CurrentRecord;
  /** What the write requires: that no other record matches. */
  readonly requires: readonly Requirement[];
}

/**
 * Reads the criteria of the URL of an update or a patch; what is returned finds the one record that matches them at
 * each call. Throws FhirError 400 for the criteria, and 412 for several matches.
 * https://hl7.org/fhir/R4/http.html#cond-update
 */
export async function findByCriteria(
  engine: Engine,
  type: ResourceType,
  request: FhirRequest,
): Promise<() => Promise<MatchedRecord>> {
  const { base, partition, parameters: pairs } = request;
  const query = await readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  const place = { partition, extract: engine.extract, base };
  return async () => {
    const found = await oneMatch(type, query, place, urlCriteria);
    const current = await currentOf(engine, type, request, { letter: 'u', found });
    return { query, found, current, requires: found === undefined ? [] : [onlyMatch(type, query, found.id)] };
  };
}
