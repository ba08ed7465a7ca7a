import { setTimeout } from 'node:timers/promises';
import { KeyUsed } from '../port/errors.ts';
import type { Change, WriteKey, WriteResult } from '../port/records.ts';
import { firstOutcome, withId } from '../record/changes.ts';
import { writtenBy } from './apply.ts';
import { insertNew, reservations } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { isUndecided } from './failures.ts';
import type { ReservationDocument } from './layout.ts';
import { keyReservation } from './reservation-id.ts';

/** How long a repeated write waits for the first one before it finishes it, in milliseconds. */
const longestWait = 500;

type Results = NonNullable<ReservationDocument['results']>;

/**
 * The result of an earlier write with a key; undefined if the key is free, or the write is not done yet. Throws
 * `KeyUsed`.
 */
export async function repeatedResults(
  core: Core,
  partition: Pick<PartitionInfo, 'p'>,
  key: WriteKey,
): Promise<readonly WriteResult[] | undefined> {
  const held = await readReservation(core, keyReservation(partition.p, key.key));
  if (held === undefined) return undefined;
  const results = resultsOf(held, key);
  if (results !== undefined) return again(results);
  if (core.options.mode === 'read') return undefined;
  const finished = await finish(core, partition, held);
  return finished === undefined ? undefined : again(finished);
}

/**
 * Runs a work once for a key: its reservation is written first, with the id of the record, and has the results when it
 * is done. A repeated write finishes what a crash has left. A key whose work has failed is free again. Throws
 * `KeyUsed`.
 */
export async function withKey(
  core: Core,
  partition: PartitionInfo,
  key: WriteKey,
  change: Change,
  work: (change: Change, by: string) => Promise<readonly WriteResult[]>,
): Promise<readonly WriteResult[]> {
  const own = keyedReservation(partition, key, change);
  const before = await reserve(core, own, key);
  const held = before ?? own;
  if (held.results !== undefined) return again(held.results);
  const finished = before === undefined ? undefined : await finish(core, partition, held);
  if (finished !== undefined) return again(finished);
  try {
    const results = await work(reserved(change, held.id), own._id);
    const first = await keepResults(core, held, results);
    return before === undefined ? results : again(first);
  } catch (error) {
    // If the outcome is unknown the key stays, for a retry.
    if (!isUndecided(error))
      await reservations(core.database).deleteOne({ _id: held._id, id: held.id, results: { $exists: false } });
    throw error;
  }
}

/** The reservation of a keyed write, before it is done. */
export function keyedReservation(
  { p }: PartitionInfo,
  { key, body, expires }: WriteKey,
  { id, type }: Change,
): ReservationDocument {
  return { _id: keyReservation(p, key), p, key, body, id, type, expires };
}

/**
 * Undefined if the key was free, and is reserved now; else the existing reservation, with results or after a while
 * without.
 */
async function reserve(core: Core, own: ReservationDocument, key: WriteKey): Promise<ReservationDocument | undefined> {
  const all = reservations(core.database);
  const until = performance.now() + longestWait;
  for (let pause = 5; ; pause *= 2) {
    if (await insertNew(all, own)) return undefined;
    const found = await all.findOne({ _id: own._id });
    if (found === null) continue;
    if (found.expires <= core.options.now()) {
      await all.deleteOne({ _id: own._id, id: found.id, expires: found.expires });
      continue;
    }
    if (resultsOf(found, key) !== undefined || performance.now() > until) return found;
    await setTimeout(pause);
  }
}

/** The reservation of a key, if it has not expired. */
export async function readReservation(core: Core, _id: string): Promise<ReservationDocument | undefined> {
  const found = await reservations(core.database).findOne({ _id });
  return found === null || found.expires <= core.options.now() ? undefined : found;
}

/** Undefined if it is not done. Throws `KeyUsed`. */
function resultsOf({ body, results }: ReservationDocument, key: WriteKey): Results | undefined {
  if (body !== key.body) throw new KeyUsed();
  return results;
}

/** Notes the result of a write that was done under a reservation without being noted there. */
async function finish(
  core: Core,
  partition: Pick<PartitionInfo, 'p'>,
  held: ReservationDocument,
): Promise<Results | undefined> {
  if (held.type === undefined || held.type === '') return undefined;
  const done = await writtenBy(core, partition.p, held.type, held.id, held._id);
  return done === undefined ? undefined : keepResults(core, held, [done]);
}

/** Stores results, unless another process has: returns the stored ones. */
async function keepResults(
  core: Core,
  { _id, id, body, ...held }: ReservationDocument,
  results: readonly WriteResult[],
): Promise<Results> {
  const own = keptResults(results);
  const all = reservations(core.database);
  const { matchedCount } = await all.updateOne({ _id, body, results: { $exists: false } }, { $set: { results: own } });
  if (matchedCount === 1) return own;
  const found = await all.findOne({ _id, body });
  if (found?.results !== undefined) return found.results;
  // The process that made it has failed meanwhile, and released the key.
  await insertNew(all, { ...held, _id, id, body, results: own });
  return own;
}

/** Results in the form of a reservation. */
export function keptResults(results: readonly WriteResult[]): Results {
  return results.map(({ id, version, lastUpdated, ...result }) => ({
    outcome: firstOutcome(result),
    id,
    version,
    lastUpdated,
  }));
}

function reserved(change: Change, id: string): Change {
  return change.id === id || change.kind === 'remove' ? change : withId(change, id);
}

function again(results: Results): readonly WriteResult[] {
  return results.map(({ outcome, ...written }) => ({ outcome: 'repeated', first: outcome, ...written }));
}
