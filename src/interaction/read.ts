import type { ResourceType } from '../model/model.ts';
import type { VersionWithText } from '../store/port/records.ts';
import { isAfterDate, parseETag, parseHttpDate } from '../fhir/etag.ts';
import { controls, subsetOf } from './controls.ts';
import { declaredType } from './declared.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from './interaction.ts';
import { isWhole, subset } from './subset.ts';
import { findVersion, findVisible } from './visible.ts';

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
