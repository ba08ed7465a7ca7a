import { setTimeout as rest } from 'node:timers/promises';
import { meta, servers } from './collections.ts';
import type { Core } from './core.ts';
import { answeredLate } from './failures.ts';
import { livingServers } from './heartbeat.ts';

/**
 * Moments: a time after which every process writes later `lastUpdated`s only, and up to which no write is open. The
 * clocks of processes differ, so that one of them proposes a time, and each of the others answers with it, or with the
 * later one that it has given away already, when its open writes have ended; then the latest of these is proposed.
 */
const prefix = 'moment:';

/** How often a process looks for a new moment, in milliseconds: the writes of others wait for none. */
const lookEvery = 250;

/** A moment of a partition (`p`), in milliseconds since 1970 UTC. Throws `StoreUnavailable` if a write is too slow. */
export async function endMoment(core: Core, p: string): Promise<number> {
  const requireTime = answeredLate(core);
  const first = await propose(core, p, core.options.now());
  const latest = await answersOf(core, p, first, requireTime);
  if (latest === first) return first;
  // What a process writes from its first answer on is later than this already, or ends before its second one.
  const second = await propose(core, p, latest);
  await answersOf(core, p, second, requireTime);
  return second;
}

/** Proposes a moment, and returns it: later than all that were proposed before, which have answers already. */
async function propose(core: Core, p: string, moment: number): Promise<number> {
  const proposed = await meta(core.database).findOneAndUpdate(
    { _id: `${prefix}${p}` },
    [{ $set: { value: { $max: [moment, { $add: ['$value', 1] }] } } }],
    { upsert: true, returnDocument: 'after' },
  );
  const value = Math.max(moment, Number(proposed?.value));
  await heed(core, p, value);
  return value;
}

/** The latest of the answers of all processes that write, once each has answered. */
async function answersOf(core: Core, p: string, moment: number, requireTime: () => void): Promise<number> {
  for (;;) {
    requireTime();
    const living = await livingServers(core);
    const answers = living.map(({ moments }) => moments?.[p]);
    const given = answers.filter(one => one !== undefined && one.moment >= moment);
    if (given.length === living.length) return Math.max(moment, ...given.map(one => one?.latest ?? 0));
    await rest(lookEvery / 5);
  }
}

/**
 * Reads the moments of all partitions, and heeds new ones, until the returned function is called. When it resolves,
 * this process writes nothing earlier than any of them. It must be known as a living server before.
 */
export async function followMoments(core: Core): Promise<() => void> {
  const heeded = new Map<string, number>();
  const look = async (): Promise<void> => {
    const found = await meta(core.database)
      .find({ _id: { $gte: prefix, $lt: 'moment;' } })
      .toArray();
    for (const { _id, value } of found) {
      if (heeded.get(_id) === value) continue;
      await heed(core, _id.slice(prefix.length), Number(value));
      heeded.set(_id, Number(value));
    }
  };
  await look();
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined) // who waits for it gets a timeout
      .finally(() => (isLooking = false));
  }, lookEvery).unref();
  return () => clearInterval(timer);
}

/** Writes only later ones than a moment from now on, and says so when the open writes have ended. */
async function heed(core: Core, p: string, moment: number): Promise<void> {
  const latest = Math.max(core.stamps.get(p) ?? 0, moment);
  core.stamps.set(p, latest);
  await Promise.allSettled(core.everyWrite);
  await servers(core.database).updateOne({ _id: core.process }, { $set: { [`moments.${p}`]: { moment, latest } } });
}
