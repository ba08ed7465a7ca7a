import { type Conditional, isConditional } from '../port/conditional.ts';
import { StoreUnavailable } from '../port/errors.ts';
import type { Change, WriteKey, WriteOptions, WriteResult } from '../port/records.ts';
import { applyChange, LostRace, type WriteStep } from './apply.ts';
import { reservations } from './collections.ts';
import { type Core, type PartitionInfo, withSession } from './core.ts';
import { answeredLate, isTaken } from './failures.ts';
import { keptResults, keyedReservation, readReservation, repeatedResults } from './keyed.ts';
import { keepMark } from './mark.ts';
import { matchOf, matchReservation, requireAll, reservationFor, unconditional } from './match.ts';
import { nextStamp } from './prepare.ts';
import { keyReservation } from './reservation-id.ts';
import { inTransaction } from './transaction.ts';

/** Applies all changes in one transaction, with the mark and the key, or none. Throws like `Partition.write`. */
export async function writeAtOnce(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  { mark, key, requires = [] }: WriteOptions,
): Promise<readonly WriteResult[]> {
  const requireTime = answeredLate(core);
  for (;;) {
    const repeated = key === undefined ? undefined : await earlier(core, partition, key);
    if (repeated !== undefined) return repeated;
    try {
      return await inTransaction(core, async session => {
        const manner: WriteStep = { session, updated: nextStamp(core, partition.p) };
        await requireAll(core, partition, requires, manner);
        const results: WriteResult[] = [];
        for (const change of changes) results.push(await writeOne(core, partition, change, manner));
        const [first] = changes;
        if (key !== undefined && first !== undefined) {
          const kept = { ...keyedReservation(partition, key, first), results: keptResults(results) };
          await reservations(core.database).insertOne(kept, { session });
        }
        await keepMark(core, partition.p, mark, manner);
        return results;
      });
    } catch (error) {
      // Another process was first: with the key, with the same criteria, or with one of the resources.
      if (!(error instanceof LostRace) && !isTaken(error)) throw error;
      requireTime();
      const left = changes.filter(isConditional).map(change => matchReservation(partition.p, change));
      await reservations(core.database).deleteMany({ _id: { $in: left } });
    }
  }
}

async function writeOne(core: Core, partition: PartitionInfo, change: Change, manner: WriteStep): Promise<WriteResult> {
  return isConditional(change)
    ? createUnlessMatching(core, partition, change, manner)
    : applyChange(core, partition, change, manner);
}

/**
 * Two transactions with the same criteria both write their reservation, so that one of them is retried. None is visible
 * outside: an existing one was left by a crash when the server had no transactions yet.
 */
async function createUnlessMatching(
  core: Core,
  partition: PartitionInfo,
  change: Conditional,
  manner: WriteStep,
): Promise<WriteResult> {
  const own = reservationFor(core, partition, change);
  await reservations(core.database).insertOne(own, withSession(manner));
  const found = await matchOf(core, partition, change, manner);
  const result = found ?? (await applyChange(core, partition, unconditional(change, change.id), manner));
  await reservations(core.database).deleteOne({ _id: own._id }, withSession(manner));
  return result;
}

/** The result of an earlier write with a key. An expired one is replaced. */
async function earlier(
  core: Core,
  partition: PartitionInfo,
  key: WriteKey,
): Promise<readonly WriteResult[] | undefined> {
  const repeated = await repeatedResults(core, partition, key);
  if (repeated !== undefined) return repeated;
  const _id = keyReservation(partition.p, key.key);
  await reservations(core.database).deleteOne({ _id, expires: { $lte: core.options.now() } });
  if ((await readReservation(core, _id)) !== undefined)
    throw new StoreUnavailable('timeout', 'The first write with this key is still running');
  return undefined;
}
