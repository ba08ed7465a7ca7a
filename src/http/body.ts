import type { IncomingMessage, ServerResponse } from 'node:http';
import { fhirError } from '../fhir/error.ts';
import { withoutPlace } from './places.ts';
import { largeBody } from './uploads.ts';
import type { Uploads } from './uploads.ts';

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
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await withoutPlace(request, () => receive(request, response, limits, chunk => void chunks.push(chunk)));
  return Buffer.concat(chunks);
}

/**
 * From this size on glibc maps memory for an allocation alone, and returns it to the system when it is freed. README.md
 * has what this saves.
 */
const mapped = 32 * 1024 * 1024 + 1;

/** A body in memory. */
export interface Body {
  readonly bytes: Buffer;
  /** Gives its memory and its place back; the bytes are gone then. */
  free(): void;
}

/**
 * Reads a body that may be large, as readBody does: one of more than a megabyte is left unread until there is a place for it,
 * and then read into one piece of memory, which goes as soon as it is freed. Throws FhirError 503 where no place comes free.
 */
export async function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  uploads: Uploads,
): Promise<Body> {
  const announced = announcedSize(request);
  if (announced > limits.most) throw tooLarge(limits.most);
  let chunks: Buffer[] = [];
  let size = 0;
  let whole: Buffer | undefined;
  let leave = (): void => {};
  let over = false;
  const add = (chunk: Buffer): void => {
    if (whole === undefined) chunks.push(chunk);
    else chunk.copy(whole, size);
    size += chunk.length;
  };
  const enter = async (room: number): Promise<void> => {
    leave = await uploads.enter(request);
    if (over) return leave(); // it was given up meanwhile
    whole = Buffer.allocUnsafeSlow(Math.max(room, mapped)); // pages that are never written to take no memory
    const before = chunks;
    chunks = [];
    size = 0;
    before.forEach(add);
  };
  const free = (): void => {
    // Memory of this size would otherwise stay until the next garbage collection, which nothing hurries.
    if (whole?.buffer instanceof ArrayBuffer) whole.buffer.transfer(0); // allocUnsafeSlow shares it with nobody
    whole = undefined;
    over = true;
    leave();
  };
  try {
    await withoutPlace(request, async () => {
      if (announced > largeBody) await enter(announced);
      await receive(request, response, limits, chunk => {
        if (whole !== undefined || size + chunk.length <= largeBody) return add(chunk);
        return enter(limits.most).then(() => add(chunk));
      });
    });
  } catch (error) {
    free();
    throw error;
  }
  return { bytes: whole?.subarray(0, size) ?? Buffer.concat(chunks), free };
}

const announcedSize = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Gives the chunks of a body as they come; while `take` works on one, nothing more is read and no time passes. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { most, timeout }: BodyLimits,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  if (announcedSize(request) > most) return Promise.reject(tooLarge(most));
  if (request.headers.expect !== undefined) response.writeContinue();
  return new Promise((resolve, reject) => {
    let size = 0;
    let timer = setTimeout(() => end(tooSlow(timeout)), timeout);
    const end = (error?: Error): void => {
      clearTimeout(timer);
      request.off('data', receiveChunk).off('end', end).off('error', fail).off('close', fail);
      if (error === undefined) resolve();
      else {
        request.pause().on('error', () => {}); // the connection may still break while the refusal is sent
        reject(error);
      }
    };
    const fail = (): void => end(request.complete ? undefined : cutShort());
    const receiveChunk = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > most) return end(tooLarge(most));
      const work = take(chunk);
      if (work === undefined) return;
      clearTimeout(timer);
      request.pause();
      const goOn = (): void => {
        timer = setTimeout(() => end(tooSlow(timeout)), timeout);
        request.resume();
      };
      work.then(goOn, error => {
        end(error);
        request.resume(); // the rest is thrown away, so that the client comes to read the answer
      });
    };
    request.on('data', receiveChunk).on('end', end).on('error', fail).on('close', fail);
  });
}

const close = { Connection: 'close' };

const tooLarge = (most: number) =>
  fhirError(413, 'too-long', `The request body is larger than the ${most} bytes that are taken.`, undefined, close);

const tooSlow = (timeout: number) =>
  fhirError(408, 'timeout', `The request body did not arrive within ${timeout / 1000} seconds.`, undefined, close);

const cutShort = () => fhirError(400, 'invalid', 'The request body ended before it was complete.', undefined, close);
