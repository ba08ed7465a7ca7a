import type { IncomingMessage, ServerResponse } from 'node:http';
import { fhirError } from '../fhir/error.ts';

export interface BodyLimits {
  /** Bytes. */
  readonly most: number;
  /** Milliseconds from the first byte that is waited for to the last. */
  readonly timeout: number;
}

/**
 * Reads a request body. Throws FhirError 413 as soon as it is known to be too large, 408 where it comes too slowly, and 400
 * where the client stops in the middle; the connection is then closed.
 */
export function readBody(request: IncomingMessage, response: ServerResponse, limits: BodyLimits): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limits.most) return Promise.reject(tooLarge(limits.most));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => end(tooSlow(limits.timeout)), limits.timeout);
    const end = (error?: Error): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('error', fail).off('close', fail);
      if (error === undefined) resolve(Buffer.concat(chunks));
      else {
        request.pause().on('error', () => {}); // the connection may still break while the refusal is sent
        reject(error);
      }
    };
    const fail = (): void => end(request.complete ? undefined : cutShort());
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.most) end(tooLarge(limits.most));
      else chunks.push(chunk);
    };
    request.on('data', take).on('end', end).on('error', fail).on('close', fail);
  });
}

const close = { Connection: 'close' };

const tooLarge = (most: number) =>
  fhirError(413, 'too-long', `The request body is larger than the ${most} bytes that are taken.`, undefined, close);

const tooSlow = (timeout: number) =>
  fhirError(408, 'timeout', `The request body did not arrive within ${timeout / 1000} seconds.`, undefined, close);

const cutShort = () => fhirError(400, 'invalid', 'The request body ended before it was complete.', undefined, close);
