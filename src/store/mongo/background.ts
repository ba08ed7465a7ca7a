import type { MongoClient } from 'mongodb';
import { type Chore, rebuildPending } from '../upkeep/chores.ts';
import { latestOf } from '../upkeep/views.ts';
import { sweepAttachments } from './attachment-sweep.ts';
import { documents, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { makeMissingIndexes } from './database-indexes.ts';
import { storedRegistration } from './defining.ts';
import { sweepServers } from './heartbeat.ts';
import { mongoIndexes } from './indexes.ts';
import { sweepRemovals } from './partitions.ts';

/**
 * How often a server checks for pending indexes, for obsolete data, and for attachments without a record; milliseconds.
 */
const pauses = { look: 1_000, sweep: 60_000, bytes: 3_600_000 };

/** How long a start may sweep, in milliseconds: the rest runs in the background. */
const sweepTime = 500;

/** The work of a server before it answers: sweeps for a moment. */
export async function prepareToServe(core: Core): Promise<void> {
  await sweepServers(core);
  await sweepAttachments(core, AbortSignal.any([core.ending, AbortSignal.timeout(sweepTime)]));
}

/**
 * The background work of a server: builds the database indexes, fills pending ones, and deletes obsolete data. Several
 * servers may run it concurrently. `connect` returns a client without timeouts.
 */
export function choresOf(core: Core, connect: () => MongoClient): readonly Chore[] {
  const all = (work: (latest: Core) => Promise<unknown>) => async (): Promise<boolean> => {
    await work(latestOf(core));
    return false;
  };
  return [
    { step: all(latest => makeMissingIndexes(latest, connect)), pause: pauses.sweep },
    { step: all(storedRegistration()), pause: pauses.look },
    { step: () => rebuildPending(mongoIndexes(latestOf(core))), pause: pauses.look },
    { step: all(sweep), pause: pauses.sweep },
    { step: all(latest => sweepAttachments(latest, core.ending)), pause: pauses.bytes },
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
