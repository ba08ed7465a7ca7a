import type { IncomingMessage } from 'node:http';
import { fhirError } from '../fhir/error.ts';
import type { Attachment } from '../model/model.ts';

/** Throws FhirError 415 for a body with a content encoding. https://www.rfc-editor.org/rfc/rfc9110#section-8.4 */
export function refuseEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  const text = `A body in \`Content-Encoding: ${encoding}\` is not supported; send it without encoding.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Encoding"');
}

/**
 * Throws FhirError 415 unless the content type is JSON of FHIR R4 in UTF-8: `application/fhir+json` or
 * `application/json`, without fhirVersion or with 4.0. https://hl7.org/fhir/R4/http.html#mime-type
 */
export function requireFhirJson({ headers }: IncomingMessage): void {
  const given = headers['content-type'];
  const [type = '', ...parameters] = (given ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  const value = (name: string): string | undefined =>
    parameters
      .find(parameter => parameter.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replaceAll('"', '');
  const json = type === 'application/fhir+json' || type === 'application/json';
  const unicode = ['utf-8', 'utf8'].includes(value('charset') ?? 'utf-8');
  const release = ['4.0', '4.0.1'].includes(value('fhirversion') ?? '4.0');
  if (json && unicode && release) return;
  const what = given === undefined ? 'no Content-Type' : `\`Content-Type: ${given}\``;
  const text =
    'A resource is accepted as `application/fhir+json` or `application/json` of FHIR 4.0 in ' +
    `UTF-8, not with ${what}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
}

/**
 * The maximum body size of a type, in bytes: `most` for the resource and, if it may have an attachment, its base64 with
 * an eighth for line breaks and escapes.
 */
export function bodyLimit(attachment: Attachment | undefined, most: number): number {
  return attachment === undefined ? most : most + Math.ceil((Math.ceil(attachment.maxBytes / 3) * 4 * 9) / 8);
}
