import type { IncomingMessage } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import { isFhirJson, isFhirXml, patchFormatOf, patchFormats, servedPatchFormats } from '../../fhir/media-type.ts';
import type { PatchFormat } from '../../fhir/media-type.ts';
import type { Attachment } from '../../model/model.ts';

/**
 * Returns whether a body is XML, and not JSON. Throws FhirError 415 unless the content type is one of both of FHIR R4
 * in UTF-8, without fhirVersion or with 4.0. https://hl7.org/fhir/R4/http.html#mime-type
 */
export function requireFhirFormat({ headers }: IncomingMessage): boolean {
  const given = headers['content-type'];
  if (isFhirJson(given ?? '')) return false;
  if (isFhirXml(given ?? '')) return true;
  const text =
    'A resource is accepted as `application/fhir+json` or `application/json`, and as `application/fhir+xml`, ' +
    `\`application/xml\` or \`text/xml\`, of FHIR 4.0 in UTF-8, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
}

/**
 * The format of a patch, and whether it is XML, which means the same as the JSON of FHIR. Throws FhirError 415 with
 * Accept-Patch for any other content type.
 * https://hl7.org/fhir/R4/http.html#patch, https://www.rfc-editor.org/rfc/rfc5789#section-2.2
 */
export function requirePatchFormat({ headers }: IncomingMessage): { contentType: PatchFormat; isXml: boolean } {
  const given = headers['content-type'];
  const format = patchFormatOf(given ?? '');
  if (format !== undefined) return { contentType: format, isXml: false };
  if (isFhirXml(given ?? '')) return { contentType: 'application/fhir+json', isXml: true };
  const [json, fhir, merge] = patchFormats;
  const text =
    `A patch is accepted as \`${json}\` or \`${merge}\`, or as Parameters or a part of the record in \`${fhir}\` or ` +
    `\`application/fhir+xml\`, in UTF-8, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"', { 'Accept-Patch': servedPatchFormats.join(', ') });
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
