import type { IncomingMessage, ServerResponse } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import { readBody } from './body.ts';

/** Maximum size of a form of a page in bytes; a token of another issuer has some thousands. */
const most = 32_768;

/**
 * The fields of a form that a page posts, which must arrive within `timeout` milliseconds. Throws FhirError 415 for
 * another content type, and the errors of readBody. https://url.spec.whatwg.org/#application/x-www-form-urlencoded
 */
export async function readPageForm(
  request: IncomingMessage,
  response: ServerResponse,
  timeout: number,
): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded')
    throw fhirError(415, 'not-supported', 'The body must be `application/x-www-form-urlencoded`.');
  const bytes = await readBody(request, response, { most, timeout });
  return new URLSearchParams(bytes.toString());
}
