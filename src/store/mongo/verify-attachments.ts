import { overdue } from '../port/blobs.ts';
import { measure } from '../record/digest.ts';
import type { BytesFile, KeptBytes, Measured } from '../upkeep/verify-attachments.ts';
import { chunks, type FileDocument, fileName, files, goingName, isOlder, ofPartition } from './attachment-bucket.ts';
import { attachingTypes, hasRecord, references } from './attachment-records.ts';
import { strayChunks } from './attachment-sweep.ts';
import type { Core } from './core.ts';
import { pagesOf } from './pages.ts';

/** The attachments of a partition in the bucket. */
export function bytesOf(core: Core, p: string): KeptBytes {
  let known: Promise<readonly string[]> | undefined;
  const types = (): Promise<readonly string[]> => (known ??= attachingTypes(core));
  return {
    count: () => files(core).countDocuments({ _id: ofPartition(p) }),
    async *references(digits) {
      yield* references(core, await types(), p, digits);
    },
    isReferred: async digest => hasRecord(core, await types(), p, digest),
    files: digits => filesOf(core, p, digits),
    measure: digest => measureFile(core, fileName(p, digest)),
    strays: () => straysOf(core, p),
  };
}

type File = Pick<FileDocument, '_id' | 'filename' | 'metadata'> & { readonly old: boolean };

async function* filesOf(core: Core, p: string, digits: string): AsyncIterable<BytesFile> {
  const within = { $gt: fileName(p, digits), $lt: fileName(p, `${digits}g`) };
  const project = { filename: 1, metadata: 1, old: isOlder('touched', overdue) };
  for await (const page of pagesOf<File>(files(core), {}, { by: 'filename', within, project }))
    for (const { _id, filename, metadata, old } of page)
      if (filename !== goingName(_id))
        yield {
          digest: filename.slice(p.length + 1),
          isTrash: metadata.trashed !== undefined,
          isOverdue: metadata.waiting !== true || old,
        };
}

async function measureFile(core: Core, filename: string): Promise<Measured | undefined> {
  const file = await files(core).findOne({ filename });
  if (file === null) return undefined;
  const found = await measure(existingChunks(core, file));
  return found.size === 0 && file.length > 0 ? undefined : { ...found, isTrash: file.metadata.trashed !== undefined };
}

/** Missing chunks are skipped. */
async function* existingChunks(core: Core, { _id, length, chunkSize }: FileDocument): AsyncIterable<Uint8Array> {
  for (let n = 0; n * chunkSize < length; n += 1) {
    const chunk = await chunks(core).findOne({ files_id: _id, n });
    if (chunk !== null) yield chunk.data.value();
  }
}

/** External damage: no write causes it. */
async function* straysOf(core: Core, p: string): AsyncIterable<string> {
  const { $gte, $lt } = ofPartition(p);
  for (let after = $gte; ;) {
    const { found, strays } = await strayChunks(core, { $gt: after, $lt });
    for (const id of strays) yield id.slice(p.length + 1);
    const last = found.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
