import { chunks, type FileDocument } from './attachment-bucket.ts';
import type { Core } from './core.ts';

/** Chunks per operation: 2 MB. */
const atOnce = 8;

/** A chunk does not exist, or has another length than the file says. */
export class DamagedChunk extends Error {
  constructor(n: number, _id: string) {
    super(`Chunk ${n} of ${_id} is damaged`);
    this.name = 'DamagedChunk';
  }
}

/**
 * The bytes of a file in order. Each operation is separate, so that no cursor waits for a slow reader. Throws
 * `DamagedChunk`.
 */
export async function* readChunks(core: Core, { _id, length, chunkSize }: FileDocument): AsyncGenerator<Uint8Array> {
  const count = Math.ceil(length / chunkSize);
  for (let from = 0; from < count; from += atOnce) {
    const found = await chunks(core)
      .find({ files_id: _id, n: { $gte: from, $lt: Math.min(count, from + atOnce) } })
      .sort({ n: 1 })
      .toArray();
    for (let n = from; n < Math.min(count, from + atOnce); n += 1) {
      const chunk = found[n - from];
      const expected = Math.min(chunkSize, length - n * chunkSize);
      if (chunk?.n !== n || chunk.data.length() !== expected) throw new DamagedChunk(n, _id);
      yield chunk.data.value();
    }
  }
}
