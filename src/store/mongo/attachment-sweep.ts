import {
  chunks,
  dropFile,
  type FileDocument,
  files,
  goingName,
  grace,
  ofPartition,
  touchedBefore,
  type Waiting,
} from './attachment-bucket.ts';
import { attachingTypes, hasRecord } from './attachment-records.ts';
import type { Core } from './core.ts';
import { goneProcesses } from './gone.ts';

/** Files that one operation reads, and chunks where only their names are looked at. */
const slice = 100;
const manyChunks = 1_000;

/**
 * Deletes bytes that got no record: put over an hour ago, or by a process that is gone. Those that have one are not asked about
 * again. For a start and now and then after it; other servers may do it at once. Ends between two slices where the signal says
 * so: true where all was looked at.
 */
export async function sweepAttachments(core: Core, signal?: AbortSignal): Promise<boolean> {
  const isStopped = (): boolean => signal?.aborted === true;
  for (let after = ''; ;) {
    if (isStopped()) return false;
    const page = await waitingFiles(core, { $gt: after });
    // Behind the files: whoever has asked for them since is seen when they are taken, whoever did before has noted his type.
    const types = await attachingTypes(core);
    for (const file of page) await sweepFile(core, types, file);
    after = page.at(-1)?._id ?? after;
    if (page.length < slice) break;
  }
  if (swept.has(core)) return true;
  for (let after = ''; ;) {
    if (isStopped()) return false;
    const { found, strays } = await strayChunks(core, { $gt: after });
    if (strays.length > 0) await chunks(core).deleteMany({ files_id: { $in: strays } });
    if (found.length < manyChunks) break;
    after = found.at(-1) ?? after;
  }
  swept.add(core);
  return true;
}

/** Where chunks without a file were looked for: only damage from outside leaves some, so once a process is enough. */
const swept = new WeakSet<Core>();

/** Deletes a slice of the bytes of a partition that is removed; false where nothing is left. */
export async function removeAttachments(core: Core, p: string): Promise<boolean> {
  const within = ofPartition(p);
  const page = await files(core).find({ _id: within }).project({ _id: 1 }).limit(slice).toArray();
  const ids = page.map(({ _id }) => String(_id));
  await chunks(core).deleteMany({ files_id: ids.length === 0 ? within : { $in: ids } });
  await files(core).deleteMany({ _id: { $in: ids } });
  return ids.length > 0;
}

/** A file of which no record is known, and whether it may go where none refers to it. */
export type WaitingFile = FileDocument & { readonly metadata: Waiting; readonly loose: boolean };

/** The next files without a known record, by `_id`. */
async function waitingFiles(core: Core, _id: { readonly $gt: string }): Promise<readonly WaitingFile[]> {
  // Before the files: who is gone then has no part in what is read.
  const isGone = await goneProcesses(core);
  const found = await files(core)
    .find({ 'metadata.waiting': true, _id })
    .project<FileDocument & { metadata: Waiting; old: boolean }>({ ...wholeFile, old: touchedBefore(grace) })
    .sort({ _id: 1 })
    .limit(slice)
    .toArray();
  return found.map(file => ({ ...file, loose: file.old || file.metadata.by.every(isGone) }));
}

const wholeFile = { length: 1, chunkSize: 1, uploadDate: 1, filename: 1, metadata: 1 };

async function sweepFile(core: Core, types: readonly string[], file: WaitingFile): Promise<void> {
  const { _id, filename, metadata, loose } = file;
  const going = goingName(_id);
  if (filename !== going) {
    const [p = '', digest = ''] = filename.split('/');
    if (filename !== _id && (await hasRecord(core, types, p, digest))) {
      await files(core).updateOne({ _id, filename }, { $set: { metadata: {} } });
      return;
    }
    if (!loose) return;
    // Not where somebody has asked for it since it was read: his record comes.
    const { touched, by } = metadata;
    const unchanged = { _id, filename, 'metadata.touched': touched, 'metadata.by': by };
    const { matchedCount } = await files(core).updateOne(unchanged, { $set: { filename: going } });
    if (matchedCount === 0) return;
  }
  await dropFile(core, _id);
}

/** The next files that have a first chunk, by `_id`, and those of them that have no file. */
export async function strayChunks(
  core: Core,
  within: { readonly $gt: string; readonly $lt?: string },
): Promise<{ readonly found: readonly string[]; readonly strays: readonly string[] }> {
  const page = await chunks(core)
    .find({ files_id: within, n: 0 })
    .project({ files_id: 1, _id: 0 })
    .sort({ files_id: 1 })
    .limit(manyChunks)
    .toArray();
  const found = page.map(chunk => String(chunk['files_id']));
  const kept = await files(core)
    .find({ _id: { $in: found } })
    .project({ _id: 1 })
    .toArray();
  const known = new Set(kept.map(({ _id }) => String(_id)));
  return { found, strays: found.filter(id => !known.has(id)) };
}
