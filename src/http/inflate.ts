import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { fhirError } from '../fhir/error.ts';

/**
 * Inflates a body with a content encoding, in pieces of 16 KB; undefined for one without. Throws FhirError 415 with
 * Accept-Encoding for another encoding than gzip and deflate, and for several.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.4, https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
export function inflaterOf({ headers }: IncomingMessage): Transform | undefined {
  const encoding = headers['content-encoding'];
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    default: {
      const text = `A body in \`Content-Encoding: ${encoding}\` is not supported; send gzip, deflate or none.`;
      throw fhirError(415, 'not-supported', text, 'http."Content-Encoding"', { 'Accept-Encoding': 'gzip, deflate' });
    }
  }
}
