import { isAfterDate, parseETag, parseHttpDate, printETag } from '../fhir/etag.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import type { StoredVersion } from '../store/port/records.ts';
import type { RequestHeaders } from './interaction.ts';

type CurrentVersion = Pick<StoredVersion, 'id' | 'version' | 'lastUpdated'> | undefined;

/**
 * Throws FhirError 412 if `If-Match` names another version than the current one, or if there is no record, and if
 * `If-None-Match` names the current one, with `*` any; without `If-Match` also if the record has changed after the date
 * of `If-Unmodified-Since`. A type whose versioning is `versioned-update` requires `If-Match` for records that exist:
 * 400. `current` is undefined also for a record that does not exist for the caller.
 * https://hl7.org/fhir/R4/http.html#concurrency, https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
 */
export function requireMatch(headers: RequestHeaders, type: ResourceType, current: CurrentVersion): void {
  requireListed(headers, type, current);
  requireUnmodified(headers, type, current);
  requireUnlisted(headers, current);
}

function requireListed({ 'if-match': given }: RequestHeaders, type: ResourceType, current: CurrentVersion): void {
  if (given === undefined) {
    if (type.versioning === 'versioned-update' && current !== undefined) throw missing(type);
    return;
  }
  if (type.versioning === 'no-version') return;
  const isListed = parseCondition('If-Match', given);
  if (current === undefined) throw failed('If-Match', 'There is no such record, so `If-Match` matches no version.');
  const { id, version } = current;
  if (isListed(version)) return;
  throw failed(
    'If-Match',
    `${type.name}/${id} is at version ${printETag(version)}, which \`If-Match\` does not name: read it again.`,
  );
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-13.1.4 */
function requireUnmodified(headers: RequestHeaders, type: ResourceType, current: CurrentVersion): void {
  const { 'if-match': match, 'if-unmodified-since': given } = headers;
  const date = given === undefined || match !== undefined ? undefined : parseHttpDate(given);
  if (date === undefined || current === undefined || !isAfterDate(current.lastUpdated, date)) return;
  const text = `${type.name}/${current.id} has changed after the date of \`If-Unmodified-Since\`: read it again.`;
  throw failed('If-Unmodified-Since', text);
}

function requireUnlisted({ 'if-none-match': given }: RequestHeaders, current: CurrentVersion): void {
  if (given === undefined) return;
  const isListed = parseCondition('If-None-Match', given);
  if (current === undefined || !isListed(current.version)) return;
  throw failed(
    'If-None-Match',
    `The record exists, at version ${printETag(current.version)}, so \`If-None-Match\` refuses the write.`,
  );
}

type Header = 'If-Match' | 'If-None-Match' | 'If-Unmodified-Since';

/** Whether a header lists a version. Throws FhirError 400 for a header without any. */
function parseCondition(header: Header, given: string): (version: number) => boolean {
  const tags = parseETag(given);
  if (tags.length > 0) return version => tags.includes('*') || tags.includes(String(version));
  const text = `\`${header}\` must have the ETag of a version, such as ${printETag(3)}.`;
  throw fhirError(400, 'value', text, expressionOf(header));
}

const missing = ({ name }: ResourceType): FhirError =>
  fhirError(
    400,
    'required',
    `A write to a ${name} requires the header \`If-Match\` with the ETag of its current version.`,
    expressionOf('If-Match'),
  );

const failed = (header: Header, text: string): FhirError => fhirError(412, 'conflict', text, expressionOf(header));

/** Other writes came between again and again. */
export const tooManyWrites = (): FhirError =>
  fhirError(409, 'conflict', 'Other requests change this record all the time. Read it again, then retry.', undefined, {
    'Retry-After': '1',
  });

const expressionOf = (header: Header): string => `http."${header}"`;
