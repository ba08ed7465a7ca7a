import type { ResourceType } from '../model/model.ts';
import { hasText } from '../store/port/records.ts';
import type { StoredVersion, VersionWithText } from '../store/port/records.ts';
import { isAfterDate, parseETag, parseHttpDate } from '../fhir/etag.ts';
import type { Access } from '../auth/access.ts';
import type { Partition } from '../store/port/partitions.ts';
import { isVersionWithin, isWithin, restriction } from '../auth/restrict.ts';
import { fhirError, gone, notFound } from '../fhir/error.ts';
import { isId } from '../fhir/reference.ts';
import { withOnly } from '../indexing/only.ts';
import { controls, subsetOf } from './controls.ts';
import { declaredType } from './declared.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from './interaction.ts';
import { isWhole, subset } from './subset.ts';

/** The parameter with the record whose access rules apply too, of a type whose `access-link` it is. */
const contextCode = 'security-context';

/**
 * Whether a caller with a scope to read the type may read a record because it may read the one that its security
 * context names, in the same partition: the content of a document reference is read by who reads that. Searches list
 * such records only by their own access links. https://hl7.org/fhir/R4/binary-definitions.html#Binary.securityContext
 */
async function isOpenByContext(
  { model, extract }: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  { access, partition }: { readonly access: Access; readonly partition: Partition },
  record: VersionWithText,
): Promise<boolean> {
  const param = type.indexed.get(contextCode);
  const isLink = type.accessLinks.some(({ parameter }) => parameter === contextCode);
  if (param === undefined || !isLink || access === 'open') return false;
  if (access.restrictions.get(type.name)?.r === undefined) return false;
  const zoned = { id: partition.id, zone: partition.settings.zone };
  const [context] = extract(withOnly(type, [param]), record.text, zoned).map(({ value }) => value);
  if (context?.kind !== 'reference' || context.type === undefined || context.id === undefined) return false;
  const target = model.types.get(context.type);
  const found = target === undefined ? undefined : await partition.read(target.name, context.id);
  if (target === undefined || found === undefined || !hasText(found)) return false;
  return isWithin(restriction(access, target, 'r'), target, found, extract, partition);
}

/** The record that is requested, and its caller. */
interface Requested {
  readonly partition: Partition;
  readonly access: Access;
  readonly id: string;
}

/**
 * The resource of a type with an id, if the caller may read it. Throws FhirError 404 if it never existed (also for an
 * invalid id, or one that the caller may not see) and 410 if it was deleted, which is returned only to callers who may
 * see every record of the type. https://hl7.org/fhir/R4/http.html#read
 */
export async function findVisible(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
): Promise<VersionWithText> {
  const found = await visible(engine, type, requested, await readLast(type, requested));
  if (!hasText(found)) throw gone(type.name, requested.id, found.version);
  return found;
}

/** Finds the last version: of a deleted record its tombstone. */
export async function findLast(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
): Promise<StoredVersion> {
  return visible(engine, type, requested, await readLast(type, requested));
}

const readLast = (
  { name }: ResourceType,
  { partition, id }: Requested,
): Promise<StoredVersion | undefined> | undefined => (isId(id) ? partition.read(name, id) : undefined);

/** The current version, if the caller may read it. Throws FhirError 404. */
async function visible(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested,
  found: StoredVersion | undefined,
): Promise<StoredVersion> {
  const { partition, access, id } = requested;
  if (found === undefined) throw notFound(type.name, id);
  const rule = restriction(access, type, 'r');
  if (!hasText(found)) {
    if (rule.kind !== 'all') throw notFound(type.name, id);
    return found;
  }
  const isVisible =
    isWithin(rule, type, found, engine.extract, partition) || (await isOpenByContext(engine, type, requested, found));
  if (!isVisible) throw notFound(type.name, id);
  return found;
}

/**
 * A version of a resource, if the caller may read it and the current one. Throws FhirError 404 if there is none, and
 * 410 for the version by which it was deleted. https://hl7.org/fhir/R4/http.html#vread
 */
async function findVersion(
  engine: Pick<Engine, 'model' | 'extract'>,
  type: ResourceType,
  requested: Requested & { readonly version: string },
): Promise<VersionWithText> {
  const { partition, access, id } = requested;
  const current = await findLast(engine, type, requested);
  const number = /^[1-9]\d{0,14}$/.test(requested.version) ? Number(requested.version) : 0;
  const isKept = type.readHistory && number > 0 && number < current.version;
  const version =
    number === current.version ? current : isKept ? await partition.read(type.name, id, number) : undefined;
  const rule = restriction(access, type, 'r');
  if (version === undefined) throw noVersion(type.name, id, requested.version);
  const isVisible =
    isVersionWithin(rule, type, { version, current }, engine.extract, partition) ||
    (hasText(version) && (await isOpenByContext(engine, type, requested, version))); // the current one is visible
  if (!isVisible) throw noVersion(type.name, id, requested.version);
  if (!hasText(version)) throw gone(type.name, id, version.version);
  return version;
}

const noVersion = (type: string, id: string, version: string) =>
  fhirError(404, 'not-found', `${type}/${id} has no version \`${version}\`.`);

/**
 * Read by id: 200 with the stored text, 304 if the client has it, 404 if it never existed (also for an invalid id, or
 * one that the caller may not see), 410 if it was deleted, returned only to callers who may see every record of the
 * type. https://hl7.org/fhir/R4/http.html#read
 */
export const read: Interaction = (engine, request, partition) =>
  answerWith(engine, request, type =>
    findVisible(engine, type, { partition, access: request.access, id: request.id ?? '' }),
  );

/**
 * Read of a version: as read, with 404 for a version that does not exist, and 410 for the one by which the record was
 * deleted. A caller who may not see the current version sees no other. https://hl7.org/fhir/R4/http.html#vread
 */
export const vread: Interaction = (engine, request, partition) =>
  answerWith(engine, request, type => {
    const { access, id = '', version = '' } = request;
    return findVersion(engine, type, { partition, access, id, version });
  });

async function answerWith(
  { model }: Pick<Engine, 'model'>,
  request: FhirRequest,
  find: (type: ResourceType) => Promise<VersionWithText>,
): Promise<FhirResponse> {
  const { parameters, headers } = request;
  const type = declaredType(model, request);
  const given = controls(parameters, ['_summary', '_elements'], request.handling);
  const wanted = subsetOf(given, type.definition);
  const found = await find(type);
  const records = [found];
  // `If-Match` names versions by number alone, so that a subset is never sent back as the whole record.
  const etag = isWhole(wanted) ? String(found.version) : `${found.version}-subset`;
  const lastModified = found.lastUpdated;
  if (isUnmodified(headers, type, { tag: etag, lastModified })) return { status: 304, etag, lastModified, records };
  const body = subset(found.text, wanted, type.definition, model.definitions);
  return { status: 200, etag, lastModified, records, body };
}

/** The validators of a version. */
interface Validators {
  readonly tag: string;
  /** Milliseconds since 1970 UTC. */
  readonly lastModified: number;
}

/**
 * True if the client has this version, so that the answer is 304: If-None-Match first, If-Modified-Since only without
 * it, each if the type declares it. https://hl7.org/fhir/R4/http.html#cread
 */
function isUnmodified(headers: FhirRequest['headers'], type: ResourceType, version: Validators): boolean {
  const byTag = type.conditionalRead === 'full-support' || type.conditionalRead === 'not-match';
  const byDate = type.conditionalRead === 'full-support' || type.conditionalRead === 'modified-since';
  const noneMatch = headers['if-none-match'];
  if (byTag && noneMatch !== undefined) return hasTag(noneMatch, version.tag);
  const since = headers['if-modified-since'];
  if (!byDate || since === undefined) return false;
  const time = parseHttpDate(since);
  return time !== undefined && !isAfterDate(version.lastModified, time);
}

/** True if an If-None-Match header lists the tag (without `W/` and quotes) or `*`. */
export function hasTag(header: string, tag: string): boolean {
  const tags = parseETag(header);
  return tags.includes(tag) || tags.includes('*');
}
