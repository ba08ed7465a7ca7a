import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Input } from '../input.ts';

/** Chunks of bytes as they come. */
export type Chunks = AsyncIterable<Uint8Array>;

/**
 * The bytes of an input, decompressed if they are gzip (by their first bytes, whatever the name). `onRead` receives the
 * number of bytes read before decompression. Throws the errors of reading and decompression.
 */
export function openBytes(input: Input, stdin: Readable, onRead: (bytes: number) => void = () => {}): Chunks {
  return unpack(counted(input.path === undefined ? stdin : readFile(input.path), onRead));
}

/** sha-256 (hex) over the bytes of a file, without decompression. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readFile(path)) hash.update(chunk);
  return hash.digest('hex');
}

const chunkSize = 256 * 1024;

// no encoding is set
const readFile = (path: string): Chunks => createReadStream(path, { highWaterMark: chunkSize }) as Chunks;

async function* counted(chunks: Chunks, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    onRead(chunk.length);
    yield chunk;
  }
}

async function* unpack(chunks: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
  const first = await chunks.next();
  if (first.done === true) return;
  const rest = chunksAgain([first.value], chunks);
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* rest;
    return;
  }
  const gunzip = createGunzip({ chunkSize });
  // Errors of either end arrive in the loop below through gunzip.
  pipeline(Readable.from(rest), gunzip, () => {});
  for await (const chunk of gunzip) yield chunk as Uint8Array; // zlib returns buffers
}

/** Chunks that were read already, and those that follow them. */
export async function* chunksAgain(
  held: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  yield* held;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
