import type { Binary, Collection, Document } from 'mongodb';
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

/**
 * Attachments in the layout of GridFS (https://www.mongodb.com/docs/manual/core/gridfs/), bucket `attachments`. A file
 * exists before its chunks and is deleted after them, so that no chunk is without one: until all chunks are written its
 * name is its `_id`, then `{p}/{sha-256}`, and `_id` with a tilde during its deletion.
 */
export interface FileDocument {
  /** `{p}/{random}` */
  readonly _id: string;
  /** Bytes. */
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly filename: string;
  /** Empty once a record is known that references the bytes: they stay. */
  readonly metadata: Waiting | { readonly waiting?: never; readonly trashed?: never };
}

/** Bytes that may have no record yet. */
export interface Waiting {
  readonly waiting: true;
  /** When they were last put or requested by a write, by the clock of the database. */
  readonly touched: Date;
  /** Since when they are in the trash: the next sweep deletes them, unless a write requests them before. */
  readonly trashed?: Date;
}

export interface FileChunk {
  readonly files_id: string;
  readonly n: number;
  readonly data: Binary;
}

/** Chunk size in bytes: the default of GridFS. */
export const chunkSize = 261_120;

export function files({ database }: Core): Collection<FileDocument> {
  return database.collection<FileDocument>('attachments.files');
}

export function chunks({ database }: Core): Collection<FileChunk> {
  return database.collection<FileChunk>('attachments.chunks');
}

export function fileName(p: string, digest: string): string {
  return `${p}/${digest}`;
}

/** Bounds of texts that begin with the key of a partition: `0` follows `/`. */
export function ofPartition(p: string): { readonly $gte: string; readonly $lt: string } {
  return { $gte: `${p}/`, $lt: `${p}0` };
}

/** Expression on a file: whether it waits, or is in the trash, for longer than that many milliseconds. */
export function isOlder(time: 'touched' | 'trashed', milliseconds: number): Document {
  const since = { $ifNull: [`$metadata.${time}`, '$$NOW'] };
  return { $lt: [since, { $subtract: ['$$NOW', milliseconds] }] };
}

/** The `metadata` of a file that waits for its record from now on. */
export const waitingNow: Document = { waiting: { $literal: true }, touched: '$$NOW' };

/** The update of files without a known record: their time starts again, and they are not in the trash any more. */
export const claim: Document[] = [{ $set: { metadata: { $cond: ['$metadata.waiting', waitingNow, '$metadata'] } } }];

/** The name of a file during its deletion: it is no longer found, and gets no other name. */
export function goingName(_id: string): string {
  return `${_id}~`;
}

/** Deletes a file without a final name, or during its deletion: first its chunks, so that they are never without it. */
export async function dropFile(core: Core, _id: string): Promise<void> {
  const going = goingName(_id);
  await files(core).updateOne({ _id, filename: _id }, { $set: { filename: going } });
  const file = await files(core).findOne({ _id });
  if (file !== null && file.filename !== going) return;
  await chunks(core).deleteMany({ files_id: _id });
  await files(core).deleteOne({ _id, filename: going });
}

/** Creates the indexes of the bucket, once per process. Throws the errors of the driver. */
export async function prepareBucket(core: Core): Promise<void> {
  let preparing = prepared.get(core);
  if (preparing === undefined) {
    preparing = makeIndexes(core);
    prepared.set(core, preparing);
    preparing.catch(() => prepared.delete(core));
  }
  await preparing;
}

const prepared = new WeakMap<Core, Promise<void>>();

async function makeIndexes(core: Core): Promise<void> {
  await files(core).createIndexes([
    { key: { filename: 1 }, name: 'filename', unique: true },
    { key: { 'metadata.waiting': 1, _id: 1 }, name: 'waiting', partialFilterExpression: { 'metadata.waiting': true } },
  ]);
  await chunks(core).createIndexes([{ key: { files_id: 1, n: 1 }, name: 'files_id_1_n_1', unique: true }]);
}
