import { isAfterDate, parseETag, parseHttpDate } from '../fhir/etag.ts';
import type { ResourceType } from '../model/model.ts';
import type { FhirRequest } from './interaction.ts';

/** The validators of a version. */
export interface Validators {
  readonly tag: string;
  /** Milliseconds since 1970 UTC. */
  readonly lastModified: number;
}

/**
 * True if the client has this version, so that the answer is 304: If-None-Match first, If-Modified-Since only without
 * it, each if the type declares it. https://hl7.org/fhir/R4/http.html#cread
 */
export function isUnmodified(headers: FhirRequest['headers'], type: ResourceType, version: Validators): boolean {
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
