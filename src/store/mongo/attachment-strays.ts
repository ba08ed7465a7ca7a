import type { Collection } from 'mongodb';
import { grace, trashTime } from '../port/blobs.ts';
import { chunks, files } from './attachment-bucket.ts';
import type { Core } from './core.ts';

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
export async function sweepStrays(core: Core, isStopped: () => boolean): Promise<boolean> {
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
  // Those whose chunks were deleted, also with their partition.
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
