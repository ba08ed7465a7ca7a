import type { AnyBulkWriteOperation } from 'mongodb';
import type { Conditional } from '../port/conditional.ts';
import { VersionConflict } from '../port/errors.ts';
import type { WriteResult } from '../port/records.ts';
import { applyChange, claimPlaces, LostRace, resultOf } from './apply.ts';
import { writeAtOnce } from './at-once.ts';
import { type Core, history, type PartitionInfo, resources } from './core.ts';
import { hasPlaces } from './current.ts';
import type { Prepared, Written } from './each-prepare.ts';
import { isOnlyTaken, isTooLarge } from './failures.ts';
import type { ResourceDocument } from './layout.ts';
import { historyOf } from './prepare.ts';
import { inTransaction } from './transaction.ts';

type Insert = Extract<Prepared, { readonly kind: 'insert' }>;
type Replace = Extract<Prepared, { readonly kind: 'replace' }>;

/**
 * Writes prepared changes, and puts the results in their places. Changes that conflict with other processes are retried
 * one by one.
 */
export async function writeBatch(
  core: Core,
  partition: PartitionInfo,
  steps: readonly Prepared[],
  results: WriteResult[],
): Promise<void> {
  const inserts: Insert[] = [];
  const replaces: Replace[] = [];
  for (const step of steps) {
    if (step.kind === 'done') results[step.at] = step.result;
    else if (step.kind === 'insert') inserts.push(step);
    else if (step.kind === 'alone') results[step.at] = await createOne(core, partition, step.change);
    else if (moves(core, step)) results[step.at] = await applyChange(core, partition, step.change, {});
    else replaces.push(step);
  }
  await allDone([
    ...[...Map.groupBy(inserts, ofType)].map(([type, of]) => inBulk(core, partition, type, of, results, insertAll)),
    ...[...Map.groupBy(replaces, ofType)].map(([type, of]) => inBulk(core, partition, type, of, results, replaceAll)),
  ]);
}

/** Waits for all; throws an error of one of them, a `VersionConflict` only if there is no other. */
async function allDone(writes: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(writes);
  const errors = settled.flatMap((one): readonly unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length > 0) throw errors.find(error => !(error instanceof VersionConflict)) ?? errors[0];
}

async function createOne(core: Core, partition: PartitionInfo, change: Conditional): Promise<WriteResult> {
  const [result] = await writeAtOnce(core, partition, [change], {});
  if (result === undefined) throw new Error('A write gives a result for each change');
  return result;
}

/** A document that changes its shard cannot be part of a bulk write. */
const moves = ({ deployment }: Core, { document, current }: Replace): boolean =>
  deployment.sharded && document.b !== current.b;

const ofType = ({ change }: Written): string => change.type;

async function inBulk<T extends Written>(
  core: Core,
  partition: PartitionInfo,
  type: string,
  steps: readonly T[],
  results: WriteResult[],
  write: (core: Core, type: string, steps: readonly T[]) => Promise<readonly T[]>,
): Promise<void> {
  // Another process has claimed the same place, or written a record, or one is too large: the retry shows which.
  const left = new Set(
    await write(core, type, steps).catch((error: unknown) => {
      if (!isOnlyTaken(error) && !isTooLarge(error) && !(error instanceof LostRace)) throw error;
      return steps;
    }),
  );
  let conflict: VersionConflict | undefined;
  for (const step of steps) {
    const { at, change, document, outcome } = step;
    try {
      results[at] = left.has(step)
        ? await applyChange(core, partition, change, {})
        : resultOf(outcome, change.id, document);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      conflict ??= error; // the others have their results nevertheless
    }
  }
  if (conflict !== undefined) throw conflict;
}

/** Inserts documents; returns those whose id is taken. If ids have a directory, all of it is one transaction. */
async function insertAll(core: Core, type: string, steps: readonly Insert[]): Promise<readonly Insert[]> {
  const documents = steps.map(({ document }) => document);
  if (hasPlaces(core, type)) {
    await inTransaction(core, async session => {
      await claimPlaces(core, type, documents, { session });
      await resources(core, type).insertMany(documents, { session });
    });
    return [];
  }
  try {
    await resources(core, type).insertMany(documents, { ordered: false });
    return [];
  } catch (error) {
    if (isTooLarge(error) || !isOnlyTaken(error)) throw error;
    const taken = new Set(error.result.getWriteErrors().map(({ index }) => index));
    return steps.filter((_, index) => taken.has(index));
  }
}

/**
 * Replaces documents, and stores their versions in the history, in one transaction. Throws `LostRace` if one is not at
 * its version any more.
 */
async function replaceAll(core: Core, type: string, steps: readonly Replace[]): Promise<readonly Replace[]> {
  const older = steps.map(({ current }) => {
    const replacement = historyOf(current);
    const filter = { _id: replacement._id, p: replacement.p };
    return { replaceOne: { filter, replacement, upsert: true } };
  });
  const newer = steps.map(({ document, current }): AnyBulkWriteOperation<ResourceDocument> => {
    const filter = { p: document.p, b: current.b, _id: current._id, version: current.version };
    return { replaceOne: { filter, replacement: document } };
  });
  await inTransaction(core, async session => {
    await history(core, type).bulkWrite(older, { session });
    const { matchedCount } = await resources(core, type).bulkWrite(newer, { session });
    if (matchedCount < steps.length) throw new LostRace();
  });
  return [];
}
