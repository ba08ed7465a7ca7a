import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Binary } from 'mongodb';
import { type Attached, grace } from '../port/blobs.ts';
import { AttachmentMissing } from '../port/errors.ts';
import { digestOf, isDigest, measure } from '../record/digest.ts';
import {
  chunks,
  chunkSize,
  claim,
  DamagedChunk,
  dropFile,
  type FileDocument,
  fileName,
  files,
  goingName,
  isOlder,
  prepareBucket,
  readChunks,
  waitingNow,
} from './attachment-bucket.ts';
import { noteType } from './attachment-records.ts';
import type { Core } from './core.ts';
import { isTaken, withPortErrorsEach } from './failures.ts';

/** Chunks that one operation writes: 4 MB. */
const atOnce = 16;

/**
 * Stores attachments of a partition by their digest, equal bytes once; acknowledged by a majority when it resolves.
 * They wait for their record (port/blobs.ts). Damaged bytes are written again.
 */
export async function putAttachment(
  core: Core,
  p: string,
  bytes: Uint8Array,
): Promise<{ readonly digest: string; readonly size: number }> {
  const digest = await digestOf(bytes);
  await prepareBucket(core);
  const name = fileName(p, digest);
  while (!(await isKept(core, name, bytes.length)) && !(await keep(core, p, name, bytes)));
  return { digest, size: bytes.length };
}

/**
 * The bytes of a digest, also from the trash; undefined if they do not exist. Ends with an error if a chunk is missing.
 */
export async function openAttachment(core: Core, p: string, digest: string): Promise<Readable | undefined> {
  if (!isDigest(digest)) return undefined;
  const file = await files(core).findOne({ filename: fileName(p, digest) });
  return file === null
    ? undefined
    : Readable.from(
        withPortErrorsEach(core, () => readChunks(core, file)),
        { objectMode: false },
      );
}

/**
 * Ensures, before a record of this type is written, that its attachments exist and stay until it is stored. Throws
 * `AttachmentMissing` if they do not exist, or with another size.
 */
export async function requireAttachments(
  core: Core,
  p: string,
  attached: readonly Attached[],
  type: string,
): Promise<void> {
  if (attached.length === 0) return;
  await noteType(core, type);
  const names = [...new Set(attached.map(({ digest }) => fileName(p, digest)))];
  const found = await files(core)
    .find({ filename: { $in: names } })
    .project<{ filename: string; length: number; metadata: FileDocument['metadata']; old: boolean }>({
      filename: 1,
      length: 1,
      metadata: 1,
      old: isOlder('touched', grace / 2),
    })
    .toArray();
  const known = new Map(found.map(file => [file.filename, file]));
  for (const { digest, size } of attached) {
    const file = known.get(fileName(p, digest));
    if (file?.length !== size) throw new AttachmentMissing(digest);
    const { waiting, trashed } = file.metadata;
    if (waiting !== true || (trashed === undefined && !file.old)) continue;
    const { matchedCount } = await files(core).updateOne({ filename: file.filename, length: size }, claim);
    if (matchedCount === 0) throw new AttachmentMissing(digest);
  }
}

/** Whether these bytes exist and are intact; their waiting time then starts again. */
async function isKept(core: Core, name: string, length: number): Promise<boolean> {
  const file = await files(core).findOneAndUpdate({ filename: name, length }, claim);
  return file !== null && (await isWhole(core, file));
}

/** Whether the bytes of a file match the digest in its name. */
async function isWhole(core: Core, file: FileDocument): Promise<boolean> {
  try {
    return file.filename.endsWith(`/${(await measure(readChunks(core, file))).digest}`);
  } catch (error) {
    if (error instanceof DamagedChunk) return false;
    throw error;
  }
}

/** False if the file was removed while it was written: it is then written again. */
async function keep(core: Core, p: string, name: string, bytes: Uint8Array): Promise<boolean> {
  const _id = `${p}/${randomUUID()}`;
  const file = { length: { $literal: bytes.length }, chunkSize: { $literal: chunkSize }, uploadDate: '$$NOW' };
  await files(core).updateOne({ _id }, [{ $set: { ...file, filename: { $literal: _id }, metadata: waitingNow } }], {
    upsert: true,
  });
  try {
    await putChunks(core, _id, bytes);
    if (await nameFile(core, _id, name, bytes.length)) return true;
  } catch (error) {
    await dropFile(core, _id).catch(() => undefined);
    throw error;
  }
  await dropFile(core, _id);
  return false;
}

async function putChunks(core: Core, _id: string, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += atOnce * chunkSize) {
    const some = Math.min(atOnce, Math.ceil((bytes.length - at) / chunkSize));
    await chunks(core).insertMany(
      Array.from({ length: some }, (_, index) => {
        const from = at + index * chunkSize;
        return { files_id: _id, n: from / chunkSize, data: new Binary(bytes.subarray(from, from + chunkSize)) };
      }),
    );
  }
}

/** Gives a written file its name. False if another has it, or the file does not exist any more. */
async function nameFile(core: Core, _id: string, name: string, length: number): Promise<boolean> {
  for (;;) {
    try {
      const { matchedCount } = await files(core).updateOne({ _id, filename: _id }, [
        { $set: { filename: { $literal: name } } },
        ...claim,
      ]);
      return matchedCount === 1;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    const other = await files(core).findOne({ filename: name });
    if (other === null) continue;
    if (other.length === length && (await isWhole(core, other))) return false;
    // A damaged file is renamed: it is no longer found, and the next sweep deletes it.
    const displaced = { waiting: true, touched: new Date(0) } as const;
    await files(core).updateOne(
      { _id: other._id, filename: name },
      { $set: { filename: goingName(other._id), metadata: displaced } },
    );
  }
}
