import { fhirError } from '../fhir/error.ts';
import type { Handler, Respond } from './context.ts';

/** Answers every client with one document, always as plain JSON. */
export function publicDocument(document: object, respond: Respond): Handler {
  const body = JSON.stringify(document);
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return async context => {
    if (context.method !== 'GET' && context.method !== 'HEAD') {
      const text = `\`${context.method}\` is not supported; allowed: GET, HEAD.`;
      throw fhirError(405, 'not-supported', text, undefined, { Allow: 'GET, HEAD' });
    }
    await respond(context, { status: 200, body, headers });
  };
}
