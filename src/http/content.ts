import type { IncomingMessage } from 'node:http';
import { fhirError } from '../fhir/error.ts';
import { isFhirJson, patchFormatOf, patchFormats } from '../fhir/media-type.ts';
import type { PatchFormat } from '../fhir/media-type.ts';
import type { Attachment } from '../model/model.ts';

/**
 * Throws FhirError 415 unless the content type is JSON of FHIR R4 in UTF-8: `application/fhir+json` or
 * `application/json`, without fhirVersion or with 4.0. https://hl7.org/fhir/R4/http.html#mime-type
 */
export function requireFhirJson({ headers }: IncomingMessage): void {
  const given = headers['content-type'];
  if (isFhirJson(given ?? '')) return;
  const text =
    'A resource is accepted as `application/fhir+json` or `application/json` of FHIR 4.0 in ' +
    `UTF-8, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
}

/**
 * The format of a patch. Throws FhirError 415 with Accept-Patch for any other content type.
 * https://hl7.org/fhir/R4/http.html#patch, https://www.rfc-editor.org/rfc/rfc5789#section-2.2
 */
export function requirePatchFormat({ headers }: IncomingMessage): PatchFormat {
  const given = headers['content-type'];
  const format = patchFormatOf(given ?? '');
  if (format !== undefined) return format;
  const [json, fhir, merge] = patchFormats;
  const accepted = `as \`${json}\` or \`${merge}\`, or as Parameters or a part of the record in \`${fhir}\`, in UTF-8`;
  const text = `A patch is accepted ${accepted}, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"', { 'Accept-Patch': patchFormats.join(', ') });
}

const quoted = (contentType: string | undefined): string =>
  contentType === undefined ? 'no Content-Type' : `\`Content-Type: ${contentType}\``;

/**
 * The maximum body size of a type, in bytes: `most` for the resource and, if it may have an attachment, its base64 with
 * an eighth for line breaks and escapes.
 */
export function bodyLimit(attachment: Attachment | undefined, most: number): number {
  return attachment === undefined ? most : most + Math.ceil((Math.ceil(attachment.maxBytes / 3) * 4 * 9) / 8);
}
