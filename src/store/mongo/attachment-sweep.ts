import type { Collection } from 'mongodb';
import { grace, trashTime } from '../port/blobs.ts';
import {
  chunks,
  dropFile,
  type FileDocument,
  files,
  goingName,
  isOlder,
  ofPartition,
  type Waiting,
} from './attachment-bucket.ts';
import { attachingTypes, hasRecord } from './attachment-records.ts';
import type { Core } from './core.ts';
import { pagesOf } from './pages.ts';

/** Chunks that one operation compares by name. */
const chunkSlice = 1_000;

/** How often a process searches for strays, in milliseconds: only external damage causes them. */
const day = 86_400_000;

const swept = new WeakMap<Core, number>();

/** Chunks without a file, by `_id` of the file, and since when a sweep knows them. */
interface Stray {
  readonly _id: string;
  readonly since: Date;
}

function strays({ database }: Core): Collection<Stray> {
  return database.collection<Stray>('attachments.strays');
}

/**
 * Deletes chunks that have had no file for as long as attachments may be without a record and in the trash: their file
 * may be restored after them. Once a day per process; stops between two slices if `isStopped` returns true: true if all
 * were checked.
 */
async function sweepStrays(core: Core, isStopped: () => boolean): Promise<boolean> {
  const last = swept.get(core);
  if (last !== undefined && performance.now() - last < day) return true;
  const isDue = { $expr: { $lt: ['$since', { $subtract: ['$$NOW', grace + trashTime] }] } };
  for (let after = ''; ;) {
    if (isStopped()) return false;
    const page = await strayChunks(core, { $gt: after });
    const { found } = page;
    await strays(core).deleteMany({ _id: { $in: found, $nin: [...page.strays] } });
    for (const _id of page.strays)
      await strays(core).updateOne({ _id }, [{ $set: { since: { $ifNull: ['$since', '$$NOW'] } } }], { upsert: true });
    const due = (
      await strays(core)
        .find({ _id: { $in: page.strays }, ...isDue })
        .toArray()
    ).map(({ _id }) => _id);
    if (due.length > 0) await chunks(core).deleteMany({ files_id: { $in: due } });
    after = found.at(-1) ?? after;
    if (found.length < chunkSlice) break;
  }
  // Their chunks were deleted, perhaps with their partition.
  await strays(core).deleteMany(isDue);
  swept.set(core, performance.now());
  return true;
}

/** The next files with a first chunk, by `_id`, and those of them without a file document. */
export async function strayChunks(
  core: Core,
  within: { readonly $gt: string; readonly $lt?: string },
): Promise<{ readonly found: readonly string[]; readonly strays: readonly string[] }> {
  const page = await chunks(core)
    .find({ files_id: within, n: 0 })
    .project({ files_id: 1, _id: 0 })
    .sort({ files_id: 1 })
    .limit(chunkSlice)
    .toArray();
  const found = page.map(chunk => String(chunk['files_id']));
  const kept = await files(core)
    .find({ _id: { $in: found } })
    .project({ _id: 1 })
    .toArray();
  const known = new Set(kept.map(({ _id }) => String(_id)));
  return { found, strays: found.filter(id => !known.has(id)) };
}

/** Files that one operation deletes. */
const fileSlice = 100;

/**
 * Moves old attachments without a record to the trash, and deletes those that are old there. Those with a record are
 * not checked again. Runs at a start and periodically after it; other servers may run it concurrently. Stops between
 * two slices after the signal: true if all were checked.
 */
export async function sweepAttachments(core: Core, signal?: AbortSignal): Promise<boolean> {
  const isStopped = (): boolean => signal?.aborted === true;
  if (isStopped()) return false;
  const project = { ...wholeFile, old: isOlder('touched', grace), due: isOlder('trashed', trashTime) };
  for await (const page of pagesOf<WaitingFile>(files(core), { 'metadata.waiting': true }, { project })) {
    // After the files: a write that requests them since is seen when they are taken, and one before has noted its type.
    const types = await attachingTypes(core);
    for (const file of page) await sweepFile(core, types, file);
    if (isStopped()) return false;
  }
  return sweepStrays(core, isStopped);
}

/** Deletes a slice of the attachments of a removed partition; false at the end. */
export async function removeAttachments(core: Core, p: string): Promise<boolean> {
  const within = ofPartition(p);
  const page = await files(core).find({ _id: within }).project({ _id: 1 }).limit(fileSlice).toArray();
  const ids = page.map(({ _id }) => String(_id));
  await chunks(core).deleteMany({ files_id: ids.length === 0 ? within : { $in: ids } });
  await files(core).deleteMany({ _id: { $in: ids } });
  return ids.length > 0;
}

/** A file without a known record; whether it has waited for long, and has been in the trash for long. */
type WaitingFile = FileDocument & { readonly metadata: Waiting; readonly old: boolean; readonly due: boolean };

const wholeFile = { length: 1, chunkSize: 1, uploadDate: 1, filename: 1, metadata: 1 };

async function sweepFile(core: Core, types: readonly string[], file: WaitingFile): Promise<void> {
  const { _id, filename, metadata, old, due } = file;
  const going = goingName(_id);
  const isWritten = filename !== _id;
  if (filename !== going) {
    const [p = '', digest = ''] = filename.split('/');
    if (isWritten && (await hasRecord(core, types, p, digest))) {
      await files(core).updateOne({ _id, filename }, { $set: { metadata: {} } });
      return;
    }
    if (!old) return;
    // Not if a write has requested it since it was read: its record follows.
    const unchanged = { _id, filename, 'metadata.touched': metadata.touched };
    if (isWritten && metadata.trashed === undefined) {
      await files(core).updateOne(unchanged, [{ $set: { 'metadata.trashed': '$$NOW' } }]);
      return;
    }
    if (isWritten && !due) return;
    const { matchedCount } = await files(core).updateOne(unchanged, { $set: { filename: going } });
    if (matchedCount === 0) return;
  }
  await dropFile(core, _id);
}
