import { setTimeout } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { createBeside } from '../beside.ts';
import { sweepAttachments } from './attachment-sweep.ts';
import { documents, parameters, partitions, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { fillDigests } from './digest-fill.ts';
import { portError } from './failures.ts';
import { sweepServers } from './heartbeat.ts';
import { makeMissingIndexes } from './index-setup.ts';
import { rebuildType } from './rebuild.ts';
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
 * What a server does beside its requests, until the store is closed: makes the indexes of the database, fills pending
 * ones, deletes what nothing needs, and gives versions the digest that they lack. Several servers may do it at once;
 * what fails is tried again. `connect` gives a client that waits as long as it takes.
 */
export async function work(core: Core, connect: () => MongoClient): Promise<void> {
  await Promise.all([
    again(core, pauses.sweep, () => makeMissingIndexes(core, connect)),
    again(core, pauses.look, () => rebuildPending(core)),
    again(core, pauses.sweep, () => sweep(core)),
    again(core, pauses.bytes, () => sweepAttachments(core, core.ending)),
    again(core, pauses.sweep, () => fillDigests(core)),
  ]);
}

async function again({ ending, options }: Core, pause: number, step: () => Promise<unknown>): Promise<void> {
  const { worked, failed } = createBeside(options.fault);
  while (!ending.aborted) {
    try {
      await step();
      worked();
    } catch (error) {
      if (!ending.aborted) failed(portError(error, options.deadline));
    }
    await setTimeout(pause, undefined, { signal: ending, ref: false }).catch(() => undefined);
  }
}

async function rebuildPending(core: Core): Promise<void> {
  const { database, ending, options } = core;
  const pending = await parameters(database)
    .find({ state: 'pending' }, { projection: { _id: 1 } })
    .toArray();
  if (pending.length === 0) return;
  const known = new Map((await partitions(database).find().toArray()).map(one => [one.key, one]));
  for (const place of new Set(pending.map(({ _id }) => _id.split('/').slice(0, 2).join('/')))) {
    const [p = '', name = ''] = place.split('/');
    const [partition, type] = [known.get(p), options.model.types.get(name)];
    if (partition === undefined || type === undefined) continue;
    const { _id: id, zone } = partition;
    await rebuildType(core, { id, p, settings: { zone } }, type, ending);
  }
}

async function sweep(core: Core): Promise<void> {
  const { database, options } = core;
  const expired = { expires: { $lte: options.now() } };
  await documents(database).deleteMany(expired);
  await reservations(database).deleteMany(expired);
  await sweepServers(core);
  await sweepRemovals(core);
}
