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
import { sweepStrays } from './attachment-strays.ts';
import type { Core } from './core.ts';
import { pagesOf } from './pages.ts';

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
