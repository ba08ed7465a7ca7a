import { host, runsHere } from '../server/host.ts';
import { latestOf } from '../upkeep/views.ts';
import { servers } from './collections.ts';
import type { Core } from './core.ts';
import { definitionsDigest } from './declared-indexes.ts';
import type { ServerDocument } from './layout.ts';

/** The interval of heartbeats, and the silence after which a process counts as dead, in milliseconds. */
const beat = 5_000;
const silence = 30_000;

/** Sends heartbeats of this process until the returned function is called. */
export async function startHeartbeat(core: Core): Promise<() => Promise<void>> {
  await sayThere(core);
  const timer = setInterval(() => void sayThere(latestOf(core)).catch(() => undefined), beat);
  timer.unref();
  core.ending.addEventListener('abort', () => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    await servers(core.database).deleteOne({ _id: core.process });
  };
}

/** Announces this process and its definitions. */
export async function sayThere({ database, options, process: id }: Core): Promise<void> {
  const about = {
    mode: options.mode,
    definitions: definitionsDigest(options.model),
    host,
    pid: process.pid,
  };
  const set = Object.entries(about).map(([name, value]) => [name, { $literal: value }]);
  await servers(database).updateOne({ _id: id }, [{ $set: { ...Object.fromEntries(set), seen: '$$NOW' } }], {
    upsert: true,
  });
}

/** The processes that use the store now, including this one. */
export async function livingServers({ database }: Pick<Core, 'database'>): Promise<readonly ServerDocument[]> {
  const recent = { $expr: { $gt: ['$seen', { $subtract: ['$$NOW', silence] }] } };
  return (await servers(database).find(recent).toArray()).filter(isNotDead);
}

/** A process that was killed on this host is dead at once; one elsewhere after a silence. */
function isNotDead(server: ServerDocument): boolean {
  return server.host !== host || runsHere(server.pid);
}

/** Deletes the entries in `servers` of processes that were killed on this host, or are silent for an hour. */
export async function sweepServers({ database, process: own }: Core): Promise<void> {
  const long = { $expr: { $lt: ['$seen', { $subtract: ['$$NOW', 120 * silence] }] } };
  await servers(database).deleteMany({ _id: { $ne: own }, ...long });
  const dead = (
    await servers(database)
      .find({ _id: { $ne: own }, host })
      .toArray()
  ).filter(one => !isNotDead(one));
  await servers(database).deleteMany({ _id: { $in: dead.map(({ _id }) => _id) } });
}
