import { recordDigest } from '../record/record-digest.ts';
import { versionFault } from '../record/version-fault.ts';
import { meta, readMeta, typesKept } from './collections.ts';
import { type Core, versionsOf } from './core.ts';
import { attachedTo, storedVersion } from './current.ts';
import { livingServers } from './heartbeat.ts';
import type { HistoryDocument } from './layout.ts';
import { digestsMeta, done } from './prepare-database.ts';

/** Versions per slice. */
const digestSlice = 100;

type Versions = ReturnType<typeof versionsOf>[number];
type Read = Pick<HistoryDocument, '_id' | 'p' | 'version' | 'updated' | 'text' | 'attached'> & { has: boolean };

/**
 * Adds digests to the next versions that engines of layout 1 wrote without one, once for a store; false if nothing is
 * left. Begins when none of those engines runs any more; continues the work of another process. Damaged records get
 * none, so that `verify` keeps reporting them.
 */
export async function fillDigests(core: Core): Promise<boolean> {
  // A collection and the `_id` of a document, or `done`.
  const [at = '', after = ''] = String((await readMeta(core.database, digestsMeta)) ?? '').split(' ');
  if (at === done) return false;
  if ((await livingServers(core)).some(({ layout = 1 }) => layout < 2)) return false;
  for (const type of await typesKept(core.database))
    for (const versions of versionsOf(core, type)) {
      const name = versions.collectionName;
      if (name >= at && (await fillSlice(core, type, versions, name === at ? after : ''))) return true;
    }
  await note(core, done);
  return false;
}

/** Processes the next slice of a collection; false for the last one. */
async function fillSlice(core: Core, type: string, versions: Versions, after: string): Promise<boolean> {
  const has = { $ne: [{ $type: '$digest' }, 'missing'] };
  const text = { $cond: [has, '$$REMOVE', '$text'] };
  const page = await versions
    .find({ _id: { $gt: after } })
    .project<Read>({ p: 1, version: 1, updated: 1, attached: 1, text, has })
    .sort({ _id: 1 })
    .limit(digestSlice)
    .toArray();
  const steps = page.flatMap(one => {
    const digest = digestOf(type, one);
    if (digest === undefined) return [];
    const { _id, p, version } = one;
    return [{ updateOne: { filter: { _id, p, version, digest: { $exists: false } }, update: { $set: { digest } } } }];
  });
  if (steps.length > 0) await versions.bulkWrite(steps, { ordered: false });
  const last = page.at(-1);
  if (last !== undefined) await note(core, `${versions.collectionName} ${last._id}`);
  return page.length === digestSlice;
}

function digestOf(type: string, { has, ...read }: Read): string | undefined {
  if (has) return undefined;
  const stored = storedVersion(read.p, type, read);
  if (versionFault(stored) !== undefined) return undefined;
  return recordDigest(read.p, { ...stored, attachments: attachedTo(read) });
}

/** Stores the progress; several processes may do so, and the furthest counts. Lower-case letters follow all types. */
async function note({ database }: Core, value: string): Promise<void> {
  await meta(database).updateOne({ _id: digestsMeta }, { $max: { value } }, { upsert: true });
}
