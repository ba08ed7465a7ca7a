import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { recordDigest } from '../record-digest.ts';
import { versionFault } from '../version-fault.ts';
import { meta, readMeta, typesKept } from './collections.ts';
import { type Core, history, resources } from './core.ts';
import { attachedTo, storedVersion } from './current.ts';
import { livingServers } from './heartbeat.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';

/** Versions per slice. */
const digestSlice = 100;

/** `_id` in `meta` of the progress: a collection and the `_id` of a document separated by a space, or `done`. */
const place = 'digests';
const done = 'done';

type Versions = Collection<ResourceDocument | HistoryDocument>;
type Read = Pick<ResourceDocument, '_id' | 'p' | 'version' | 'updated' | 'text' | 'attached'> & { has: boolean };

/**
 * Adds digests to versions that engines of layout 1 wrote without one, once for a store, pausing after each slice as
 * long as it took. Begins when none of those engines runs any more; continues the work of another process. Damaged
 * records get none, so that `verify` keeps reporting them.
 */
export async function fillDigests(core: Core): Promise<void> {
  const { database, ending } = core;
  if ((await readMeta(database, place)) === done) return;
  if ((await livingServers(core)).some(({ layout = 1 }) => layout < 2)) return;
  for (const type of await typesKept(database))
    // In this order: a version is in the history before it is replaced.
    for (const versions of [resources(core, type), history(core, type)] as unknown as Versions[])
      // the common fields of both
      for (let more = true; more && !ending.aborted;) {
        const started = performance.now();
        more = await fillSlice(core, type, versions);
        await setTimeout(performance.now() - started, undefined, { signal: ending, ref: false }).catch(() => undefined);
      }
  if (!ending.aborted) await note(core, done);
}

/** Processes the next slice of a collection; false for the last one. */
async function fillSlice(core: Core, type: string, versions: Versions): Promise<boolean> {
  const name = versions.collectionName;
  const [at = '', after = ''] = String((await readMeta(core.database, place)) ?? '').split(' ');
  if (at > name) return false;
  const has = { $ne: [{ $type: '$digest' }, 'missing'] };
  const text = { $cond: [has, '$$REMOVE', '$text'] };
  const page = await versions
    .find(at === name ? { _id: { $gt: after } } : {})
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
  if (last !== undefined) await note(core, `${name} ${last._id}`);
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
  await meta(database).updateOne({ _id: place }, { $max: { value } }, { upsert: true });
}
