import type { Binary, ClientSession, MongoClient } from 'mongodb';
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
  const each = async (): Promise<void> => {
    await sayThere(latestOf(core));
    await endSessionsOfDead(core);
  };
  const timer = setInterval(() => void each().catch(() => undefined), beat);
  timer.unref();
  core.ending.addEventListener('abort', () => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    await servers(core.database).deleteOne({ _id: core.process });
  };
}

/** Announces this process, its definitions, and its sessions: another one removes these after a silence. */
export async function sayThere({ client, database, options, process: id }: Core): Promise<void> {
  const sessions = [...(named.get(client)?.values() ?? [])].slice(-mostSessions);
  const about = {
    mode: options.mode,
    definitions: definitionsDigest(options.model),
    host,
    pid: process.pid,
    ...(sessions.length === 0 ? {} : { sessions }),
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
function isNotDead(server: Pick<ServerDocument, 'host' | 'pid'>): boolean {
  return server.host !== host || runsHere(server.pid);
}

/** Sessions that are named in `servers`, by client; they are used again and again. */
const named = new WeakMap<MongoClient, Map<string, Binary>>();

/** Most sessions that are kept for a process: it has one for each transaction that runs at a time. */
const mostSessions = 1_000;

/**
 * Names a session of this process before its first transaction. The database keeps a transaction of a process that was
 * killed for a minute, in which writes of the same records, keys and criteria fail: another process ends it.
 * https://www.mongodb.com/docs/v7.0/reference/parameters/#mongodb-parameter-param.transactionLifetimeLimitSeconds
 */
export async function nameSession({ client, database, process: id }: Core, session: ClientSession): Promise<void> {
  const known = named.get(client) ?? new Map<string, Binary>();
  named.set(client, known);
  const own = session.id?.id;
  const key = own?.toString('hex');
  if (own === undefined || key === undefined || known.has(key)) return;
  // First, so that a heartbeat at the same time names it too.
  known.set(key, own);
  try {
    await servers(database).updateOne({ _id: id }, { $push: { sessions: { $each: [own], $slice: -mostSessions } } });
  } catch (error) {
    known.delete(key);
    throw error;
  }
}

/**
 * Ends the sessions of processes that were killed on this host, and of those elsewhere after a silence.
 * https://www.mongodb.com/docs/v7.0/reference/command/killSessions/
 */
async function endSessionsOfDead({ client, database, process: own }: Core): Promise<void> {
  const others = await servers(database)
    .find({ _id: { $ne: own }, sessions: { $exists: true } })
    .project<ServerDocument & { readonly isSilent: boolean }>({
      host: 1,
      pid: 1,
      sessions: 1,
      isSilent: { $lt: ['$seen', { $subtract: ['$$NOW', silence] }] },
    })
    .toArray();
  for (const { _id, sessions = [], ...server } of others) {
    if (isNotDead(server) && !server.isSilent) continue;
    await client.db('admin').command({ killSessions: sessions.map(id => ({ id })) });
    await servers(database).updateOne({ _id }, { $unset: { sessions: true } });
  }
}

/** Deletes the entries in `servers` of processes that were killed on this host, or are silent for an hour. */
export async function sweepServers(core: Core): Promise<void> {
  const { database, process: own } = core;
  await endSessionsOfDead(core);
  const long = { $expr: { $lt: ['$seen', { $subtract: ['$$NOW', 120 * silence] }] } };
  await servers(database).deleteMany({ _id: { $ne: own }, ...long });
  const dead = (
    await servers(database)
      .find({ _id: { $ne: own }, host })
      .toArray()
  ).filter(one => !isNotDead(one));
  await servers(database).deleteMany({ _id: { $in: dead.map(({ _id }) => _id) } });
}
