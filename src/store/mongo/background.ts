import type { MongoClient } from 'mongodb';
import { type Chore, rebuildPending } from '../upkeep/chores.ts';
import { sweepAttachments } from './attachment-sweep.ts';
import { documents, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { fillDigests } from './digest-fill.ts';
import { sweepServers } from './heartbeat.ts';
import { makeMissingIndexes } from './index-setup.ts';
import { mongoIndexes } from './indexes.ts';
import { sweepRemovals } from './removal.ts';

/** How often a server looks for pending indexes, for what nothing needs any more, and for bytes without a record; milliseconds. */
const pauses = { look: 1_000, sweep: 60_000, bytes: 3_600_000 };

/** How long a start may sweep, in milliseconds: the rest is done beside the requests. */
const sweepTime = 500;

/** What a server does before it answers. */
export async function sweepAtStart(core: Core): Promise<void> {
  await sweepServers(core);
  await sweepAttachments(core, AbortSignal.any([core.ending, AbortSignal.timeout(sweepTime)]));
}

/**
 * What a server does beside its requests: makes the indexes of the database, fills pending ones, deletes what nothing
 * needs, and gives versions the digest that they lack. Several servers may do it at once. `connect` gives a client that
 * waits as long as it takes.
 */
export function choresOf(core: Core, connect: () => MongoClient): readonly Chore[] {
  const indexes = mongoIndexes(core);
  const all = (work: () => Promise<unknown>) => async (): Promise<boolean> => {
    await work();
    return false;
  };
  return [
    { step: all(() => makeMissingIndexes(core, connect)), pause: pauses.sweep },
    { step: () => rebuildPending(indexes), pause: pauses.look },
    { step: all(() => sweep(core)), pause: pauses.sweep },
    { step: all(() => sweepAttachments(core, core.ending)), pause: pauses.bytes },
    { step: all(() => fillDigests(core)), pause: pauses.sweep },
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
