import type { IncomingMessage } from 'node:http';
import { fhirError } from '../../fhir/error.ts';

/** Maximum size of a form in bytes; a token of another issuer has some thousands. */
const most = 32_768;

/**
 * The fields of a posted form. Throws FhirError 415 for another content type and 413 for a form over the maximum.
 * https://url.spec.whatwg.org/#application/x-www-form-urlencoded
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw fhirError(415, 'not-supported', 'The body must be `application/x-www-form-urlencoded`.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw fhirError(413, 'too-long', `The form exceeds the limit of ${most} bytes.`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
