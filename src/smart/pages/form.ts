import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** Maximum size of a form in bytes. */
const most = 16_384;

/**
 * The fields of a posted form. Throws Problem 415 for another content type and 413 for a form over the maximum.
 * https://url.spec.whatwg.org/#application/x-www-form-urlencoded
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new Problem(415, 'notAForm');
  if (Number(request.headers['content-length'] ?? 0) > most) throw new Problem(413, 'tooLarge');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new Problem(413, 'tooLarge');
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
