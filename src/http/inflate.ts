import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { fhirError } from '../fhir/error.ts';

const encodingOf = ({ headers }: IncomingMessage): string => headers['content-encoding']?.trim().toLowerCase() ?? '';

/** Whether a body has a content encoding, so that its announced length is not that of its content. */
export const isCompressed = (request: IncomingMessage): boolean => !['', 'identity'].includes(encodingOf(request));

/**
 * Inflates a body with a content encoding, in pieces of 16 KB; undefined for one without. Throws FhirError 415 with
 * Accept-Encoding for another encoding than gzip and deflate, and for several.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.4, https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function inflaterOf(request: IncomingMessage): Transform | undefined {
  if (!isCompressed(request)) return undefined;
  switch (encodingOf(request)) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    default: {
      const given = `\`Content-Encoding: ${request.headers['content-encoding']}\``;
      const text = `A body in ${given} is not supported; send gzip, deflate or none.`;
      throw fhirError(415, 'not-supported', text, 'http."Content-Encoding"', { 'Accept-Encoding': 'gzip, deflate' });
    }
  }
}
