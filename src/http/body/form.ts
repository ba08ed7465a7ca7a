import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { QueryPair } from '../../search/request.ts';
import { isForm } from '../../fhir/media-type.ts';
import { hasNoBody, readBody } from './body.ts';
import type { BodyLimits } from './body.ts';

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
  if (!isForm(request.headers['content-type'] ?? ''))
    throw fhirError(415, 'not-supported', 'The body must be `application/x-www-form-urlencoded`.');
  const bytes = await readBody(request, response, { most, timeout });
  return new URLSearchParams(bytes.toString());
}

/**
 * The form of a search by POST, which may be empty. Throws FhirError 415 for another content type, 400 for other bytes
 * than UTF-8, and the errors of readBody. https://hl7.org/fhir/R4/http.html#search
 */
export async function readSearchForm(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<readonly QueryPair[]> {
  const type = request.headers['content-type'];
  if (type === undefined && hasNoBody(request)) return [];
  if (!isForm(type ?? '')) {
    const given = type === undefined ? 'no Content-Type' : `\`Content-Type: ${type}\``;
    const text = `A search by POST requires an \`application/x-www-form-urlencoded\` body in UTF-8, not ${given}.`;
    throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
  }
  const body = await readBody(request, response, limits);
  if (!isUtf8(body)) throw fhirError(400, 'value', 'The form body is not valid UTF-8.');
  return parsePairs(body.toString());
}
