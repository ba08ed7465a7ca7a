import type { MongoClient } from 'mongodb';
import type { Change, WriteOptions, WriteResult } from '../port/records.ts';
import { type Conditional, isConditional } from '../port/conditional.ts';
import { applyChange, LostRace, type WriteStep } from './apply.ts';
import { reservations } from './collections.ts';
import { type Core, type PartitionInfo, withSession } from './core.ts';
import { answeredLate, isTaken } from './failures.ts';
import { keyedReservation, keptResults, repeatedResults } from './keyed.ts';
import { keepMark } from './mark.ts';
import { matchOf, matchReservation, requireAll, unconditional } from './match.ts';
import { nextStamp } from './prepare.ts';
import { keyReservation } from './reservation-id.ts';
import { inTransaction } from './transaction.ts';

/** Applies all changes in one transaction, with the mark and the key, or none. Throws like `Partition.write`. */
export async function writeAtOnce(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { p } = partition;
  const { key } = options;
  const requireTime = answeredLate(core);
  return inTurn(
    core,
    [...turnsOf(p, changes), ...(key === undefined ? [] : [keyReservation(p, key.key)])],
    async () => {
      for (;;) {
        requireTime();
        const repeated = key === undefined ? undefined : await repeatedResults(core, partition, key);
        if (repeated !== undefined) return repeated;
        try {
          return await writeOnce(core, partition, changes, options);
        } catch (error) {
          // Another process was first: with the key, or with one of the resources.
          if (!(error instanceof LostRace) && !isTaken(error)) throw error;
        }
      }
    },
  );
}

async function writeOnce(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  { mark, key, requires = [] }: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { p } = partition;
  return inTransaction(core, async session => {
    const manner: WriteStep = { session, updated: nextStamp(core, p) };
    await requireAll(core, partition, requires, manner);
    const results: WriteResult[] = [];
    for (const change of changes)
      results.push(
        isConditional(change)
          ? await createUnlessMatching(core, partition, change, manner)
          : await applyChange(core, partition, change, manner),
      );
    const [first] = changes;
    if (key !== undefined && first !== undefined) {
      const kept = { ...keyedReservation(partition, key, first), results: keptResults(results) };
      // One that has expired is replaced.
      const isOver = { _id: kept._id, expires: { $lte: core.options.now() } };
      await reservations(core.database).deleteOne(isOver, { session });
      await reservations(core.database).insertOne(kept, { session });
    }
    await keepMark(core, p, mark, manner);
    return results;
  });
}

/**
 * Two transactions with the same criteria both write their reservation, so that one of them is retried. It is never
 * visible outside.
 */
async function createUnlessMatching(
  core: Core,
  partition: PartitionInfo,
  change: Conditional,
  manner: WriteStep,
): Promise<WriteResult> {
  const { p } = partition;
  const _id = matchReservation(p, change);
  const own = { _id, p, body: '', id: change.id, expires: core.options.now() };
  await reservations(core.database).insertOne(own, withSession(manner));
  const found = await matchOf(core, partition, change, manner);
  const result = found ?? (await applyChange(core, partition, unconditional(change, change.id), manner));
  await reservations(core.database).deleteOne({ _id }, withSession(manner));
  return result;
}

/** What no two transactions write at a time: the records and the criteria. */
const turnsOf = (p: string, changes: readonly Change[]): readonly string[] =>
  changes.flatMap(change => [
    `${p}/${change.type}/${change.id}`,
    ...(isConditional(change) ? [matchReservation(p, change)] : []),
  ]);

/**
 * Writes of this process with the same key, criteria or record run one after another: as transactions they would
 * conflict, and be repeated for each that commits. One whose caller got a timeout is not waited for: a command of the
 * driver may never end (reconnect.ts), and a conflict is resolved without turns too.
 */
async function inTurn<T>({ client, options }: Core, keys: readonly string[], work: () => Promise<T>): Promise<T> {
  const running = turns.get(client) ?? new Map<string, Promise<void>>();
  turns.set(client, running);
  const { promise, resolve } = Promise.withResolvers<void>();
  const late = options.timeout === undefined ? undefined : setTimeout(resolve, options.timeout);
  const before = keys.map(async key => running.get(key));
  // All keys at once, so that no two writes wait for each other.
  for (const key of keys) running.set(key, promise);
  try {
    await Promise.all(before);
    return await work();
  } finally {
    clearTimeout(late);
    resolve();
    for (const key of keys) if (running.get(key) === promise) running.delete(key);
  }
}

const turns = new WeakMap<MongoClient, Map<string, Promise<void>>>();
