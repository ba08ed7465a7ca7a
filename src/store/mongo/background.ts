import type { MongoClient } from 'mongodb';
import { type Chore, rebuildPending } from '../upkeep/chores.ts';
import { fillPending } from '../upkeep/upgrade.ts';
import { sweepAttachments } from './attachment-sweep.ts';
import { documents, meta, readMeta, reservations } from './collections.ts';
import { latestOf } from '../upkeep/views.ts';
import type { Core } from './core.ts';
import { fillDigests } from './digest-fill.ts';
import { sweepServers } from './heartbeat.ts';
import { makeMissingIndexes } from './index-setup.ts';
import { mongoIndexes } from './indexes.ts';
import { sweepRemovals } from './removal.ts';
import { fillUsedTypes } from './used-types.ts';

/**
 * How often a server checks for pending indexes, for obsolete data, and for attachments without a record; milliseconds.
 */
const pauses = { look: 1_000, sweep: 60_000, bytes: 3_600_000 };

/** How long a start may sweep, in milliseconds: the rest runs in the background. */
const sweepTime = 500;

/** The work of a server before it answers: finishes the upgrade of an older layout, and sweeps for a moment. */
export async function prepareToServe(core: Core): Promise<void> {
  const { database, options } = core;
  if ((await readMeta(database, 'upgrade')) !== undefined && (await fillPending(mongoIndexes(core), options.notice)))
    await meta(database).deleteOne({ _id: 'upgrade' });
  await sweepServers(core);
  await sweepAttachments(core, AbortSignal.any([core.ending, AbortSignal.timeout(sweepTime)]));
}

/**
 * The background work of a server: builds the database indexes, fills pending ones, deletes obsolete data, and adds
 * missing digests to versions and what an older layout has not listed. Several servers may run it concurrently.
 * `connect` returns a client without timeouts.
 */
export function choresOf(core: Core, connect: () => MongoClient): readonly Chore[] {
  const all = (work: (latest: Core) => Promise<unknown>) => async (): Promise<boolean> => {
    await work(latestOf(core));
    return false;
  };
  return [
    { step: all(latest => makeMissingIndexes(latest, connect)), pause: pauses.sweep },
    { step: () => rebuildPending(mongoIndexes(latestOf(core))), pause: pauses.look },
    { step: all(sweep), pause: pauses.sweep },
    { step: all(latest => sweepAttachments(latest, core.ending)), pause: pauses.bytes },
    { step: () => fillDigests(latestOf(core)), pause: pauses.sweep },
    { step: all(fillUsedTypes), pause: pauses.sweep },
  ];
}

async function sweep(core: Core): Promise<void> {
  const { database, options } = core;
  const expired = { expires: { $lte: options.now() } };
  await documents(database).deleteMany(expired);
  await reservations(database).deleteMany(expired);
  await sweepServers(core);
  await sweepRemovals(core);
}
