import { parseETag, printETag } from '../fhir/etag.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import type { StoredVersion } from '../store/records.ts';
import type { RequestHeaders } from './interaction.ts';

/**
 * Throws FhirError 412 if `If-Match` names another version than the current one, or if there is no record. A type whose
 * versioning is `versioned-update` requires the header for records that exist: 400. `current` is undefined also for a
 * record that does not exist for the caller. https://hl7.org/fhir/R4/http.html#concurrency
 */
export function requireMatch(
  { 'if-match': given }: RequestHeaders,
  type: ResourceType,
  current: Pick<StoredVersion, 'id' | 'version'> | undefined,
): void {
  if (given === undefined) {
    if (type.versioning === 'versioned-update' && current !== undefined) throw missing(type);
    return;
  }
  if (type.versioning === 'no-version') return;
  const tags = parseETag(given);
  if (tags.length === 0) {
    throw fhirError(400, 'value', `\`If-Match\` must have the ETag of a version, such as ${printETag(3)}.`, expression);
  }
  if (current === undefined) throw other('There is no such record, so `If-Match` matches no version.');
  if (tags.includes('*') || tags.includes(String(current.version))) return;
  const { id, version } = current;
  throw other(
    `${type.name}/${id} is at version ${printETag(version)}, which \`If-Match\` does not name: read it again.`,
  );
}

const missing = ({ name }: ResourceType): FhirError =>
  fhirError(
    400,
    'required',
    `A write to a ${name} requires the header \`If-Match\` with the ETag of its current version.`,
    expression,
  );

const other = (text: string): FhirError => fhirError(412, 'conflict', text, expression);

/** Other writes came between again and again. */
export const tooManyWrites = (): FhirError =>
  fhirError(409, 'conflict', 'Other requests change this record all the time. Read it again, then retry.', undefined, {
    'Retry-After': '1',
  });

const expression = 'http."If-Match"';
