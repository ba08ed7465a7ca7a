import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { fhirError } from '../../fhir/error.ts';
import { withoutPlace } from '../connection/places.ts';
import { busy, largeBody } from './uploads.ts';
import type { Uploads } from './uploads.ts';

export interface BodyLimits {
  /** Bytes. */
  readonly most: number;
  /** Milliseconds from the first expected byte to the last. */
  readonly timeout: number;
  /** Whether the body is a batch or transaction, whose entries are all held. */
  readonly isBundle?: boolean;
}

/**
 * Reads a request body, inflated if it is compressed. Throws FhirError 413 as soon as it is known to be too large, 408
 * if it is too slow, 415 for another content encoding than gzip and deflate, and 400 if the client disconnects or the
 * encoding is broken; the connection is then closed.
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
 * From this size on glibc maps an allocation separately, and returns it to the system when it is freed. README.md has
 * the measurements.
 */
const mapped = 32 * 1024 * 1024 + 1;

/** Changes the form of a body while it arrives. */
export interface BodyReader {
  /** The bytes that a part becomes. Throws FhirError. */
  push(chunk: Buffer): Buffer;
  /** The bytes at the end. Throws FhirError. */
  end(): Buffer;
}

/** A body in memory. */
export interface Body {
  readonly bytes: Buffer;
  /** Frees its memory and its place; the bytes are gone then. */
  free(): void;
}

/**
 * Reads a body that may be large, like readBody: more than a megabyte waits unread for a place, of a Bundle also for
 * its share of their bytes, and is then read into one allocation, which is returned to the system when it is freed. A
 * smaller one waits until it may be worked on.
 * Throws FhirError 503 if no place becomes free. What a `reader` makes of a body has the same limit.
 */
export async function readUpload(
  request: IncomingMessage,
  response: ServerResponse,
  limits: BodyLimits,
  uploads: Uploads,
  reader?: BodyReader,
): Promise<Body> {
  const announced = announcedSize(request);
  if (announced > limits.most) throw tooLarge(limits.most);
  let chunks: Buffer[] = [];
  let size = 0;
  let whole: Buffer | undefined;
  let leave = (): void => {};
  let over = false;
  let held = 0;
  const release = (): void => {
    uploads.release(held);
    held = 0;
  };
  const add = (chunk: Buffer): void => {
    if (whole === undefined) chunks.push(chunk);
    else chunk.copy(whole, size);
    size += chunk.length;
  };
  const hold = (bytes: number): boolean => {
    if (!uploads.hold(bytes, size)) return false;
    held += bytes;
    return true;
  };
  const store = (chunk: Buffer, bytes: number): Promise<void> | void => {
    if (size + chunk.length > limits.most) return Promise.reject(tooLarge(limits.most));
    if (whole !== undefined) return add(chunk);
    if (size + chunk.length <= largeBody) return hold(bytes) ? add(chunk) : Promise.reject(busy());
    return enter(limits.most).then(() => add(chunk));
  };
  const change = (chunk: Buffer, by: BodyReader): Promise<void> | void => {
    try {
      const changed = by.push(chunk);
      return store(changed, changed.length + chunk.length);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const enter = async (room: number): Promise<void> => {
    leave = await uploads.enter(request, limits.isBundle === true ? room : 0);
    if (over) return leave(); // abandoned meanwhile
    whole = Buffer.allocUnsafeSlow(Math.max(room, mapped)); // pages that are never written use no memory
    const before = chunks;
    chunks = [];
    size = 0;
    before.forEach(add);
    release();
  };
  const free = (): void => {
    // Memory of this size would otherwise stay until the next garbage collection.
    if (whole?.buffer instanceof ArrayBuffer) whole.buffer.transfer(0); // allocUnsafeSlow does not share it
    whole = undefined;
    over = true;
    release();
    leave();
  };
  try {
    await withoutPlace(request, async () => {
      const isExact = reader === undefined && !isCompressed(request);
      if (announced > largeBody) await enter(isExact ? announced : limits.most);
      await receive(request, response, limits, chunk =>
        reader === undefined ? store(chunk, chunk.length) : change(chunk, reader),
      );
      if (reader !== undefined) await store(reader.end(), 0);
    });
  } catch (error) {
    free();
    throw error;
  }
  if (whole === undefined) leave = await uploads.begin(size);
  return { bytes: whole?.subarray(0, size) ?? Buffer.concat(chunks), free };
}

/** Whether a request announces no body. */
export const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';

/** The bytes that a body has at least, or all of them if it is not compressed. */
const announcedSize = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Passes the chunks of a body, inflated, to `take`; while it works on one, reading and the timeout pause. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { most, timeout }: BodyLimits,
  take: (chunk: Buffer) => Promise<void> | void,
): Promise<void> {
  if (announcedSize(request) > most) return Promise.reject(tooLarge(most));
  const inflater = inflaterOf(request);
  if (request.headers.expect !== undefined) response.writeContinue();
  if (request.readableEnded) return Promise.resolve(); // a request without a body emits no event (server.ts)
  return new Promise((resolve, reject) => {
    let size = 0;
    let timer = setTimeout(() => end(tooSlow(timeout)), timeout);
    const source = inflater ?? request;
    const end = (error?: Error): void => {
      clearTimeout(timer);
      source.off('data', receiveChunk).off('end', finish);
      request.off('error', fail).off('close', fail);
      if (error === undefined) resolve();
      else {
        if (inflater !== undefined) request.unpipe(inflater);
        inflater?.destroy();
        request.pause().on('error', () => {}); // the connection may still break during the answer
        reject(error);
      }
    };
    const finish = (): void => end();
    const fail = (): void => {
      if (!request.complete) end(cutShort());
      else if (inflater === undefined) end();
    };
    const receiveChunk = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > most) return end(tooLarge(most));
      const work = take(chunk);
      if (work === undefined) return;
      clearTimeout(timer);
      source.pause();
      const goOn = (): void => {
        timer = setTimeout(() => end(tooSlow(timeout)), timeout);
        source.resume();
      };
      work.then(goOn, error => {
        end(error);
        request.resume(); // the rest is discarded, so that the client reads the answer
      });
    };
    source.on('data', receiveChunk).on('end', finish);
    request.on('error', fail).on('close', fail);
    if (inflater !== undefined) {
      inflater.on('error', () => end(brokenEncoding(request)));
      request.pipe(inflater);
    }
  });
}

const encodingOf = ({ headers }: IncomingMessage): string => headers['content-encoding']?.trim().toLowerCase() ?? '';

/** Whether a body has a content encoding, so that its announced length is not that of its content. */
const isCompressed = (request: IncomingMessage): boolean => !['', 'identity'].includes(encodingOf(request));

/**
 * Inflates a body with a content encoding, in pieces of 16 KB; undefined for one without. Throws FhirError 415 with
 * Accept-Encoding for another encoding than gzip and deflate, and for several.
 * https://www.rfc-editor.org/rfc/rfc9110#section-8.4, https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
function inflaterOf(request: IncomingMessage): Transform | undefined {
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

const close = { Connection: 'close' };

const tooLarge = (most: number) =>
  fhirError(413, 'too-long', `The request body exceeds the size limit of ${most} bytes.`, undefined, close);

const tooSlow = (timeout: number) =>
  fhirError(408, 'timeout', `The request body did not arrive within ${timeout / 1000} seconds.`, undefined, close);

const cutShort = () => fhirError(400, 'invalid', 'The request body ended before it was complete.', undefined, close);

const brokenEncoding = ({ headers }: IncomingMessage) => {
  const text = `The request body is not what \`Content-Encoding: ${headers['content-encoding']}\` says.`;
  return fhirError(400, 'structure', text, 'http."Content-Encoding"', close);
};
