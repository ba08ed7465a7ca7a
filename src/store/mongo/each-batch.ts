import type { AnyBulkWriteOperation } from 'mongodb';
import type { Conditional } from '../port/conditional.ts';
import { VersionConflict } from '../port/errors.ts';
import type { WriteResult } from '../port/records.ts';
import { applyChange, claimPlaces, resultOf, type WriteStep } from './apply.ts';
import { writeAtOnce } from './at-once.ts';
import { type Core, history, type PartitionInfo, resources, type Step, withSession } from './core.ts';
import { hasPlaces } from './current.ts';
import type { Prepared, Written } from './each-prepare.ts';
import { isOnlyTaken, isTooLarge } from './failures.ts';
import type { ResourceDocument } from './layout.ts';
import { createUnlessMatching } from './match.ts';
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
  if (!core.deployment.transactions) return createUnlessMatching(core, partition, change, {});
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
  write: (core: Core, type: string, steps: readonly T[], step: Step) => Promise<readonly T[]>,
): Promise<void> {
  // If ids have their own directory, both are written in one transaction.
  const spread = core.deployment.transactions && hasPlaces(core, type);
  const writing = spread
    ? inTransaction(core, session => write(core, type, steps, { session }))
    : write(core, type, steps, {});
  // Another process has claimed the same place, or stored the same version: the retry one by one handles that.
  const left = new Set(
    await writing.catch((error: unknown) => {
      if (!isOnlyTaken(error)) throw error;
      return steps;
    }),
  );
  let conflict: VersionConflict | undefined;
  for (const step of steps) {
    const { at, change, document, outcome } = step;
    const done = resultOf(outcome, change.id, document);
    try {
      results[at] = left.has(step)
        ? asDone(await applyChange(core, partition, change, mannerOf(document)), done)
        : done;
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      conflict ??= error; // the others have their results nevertheless
    }
  }
  if (conflict !== undefined) throw conflict;
}

const mannerOf = ({ by }: ResourceDocument): WriteStep => (by === undefined ? {} : { by });

/** Inserts documents; returns those whose id is taken. */
async function insertAll(core: Core, type: string, steps: readonly Insert[], step: Step): Promise<readonly Insert[]> {
  const documents = steps.map(({ document }) => document);
  await claimPlaces(core, type, documents, step);
  try {
    await resources(core, type).insertMany(documents, { ordered: false, ...withSession(step) });
    return [];
  } catch (error) {
    // The retry one by one shows which.
    if (isTooLarge(error)) return steps;
    if (!isOnlyTaken(error) || step.session !== undefined) throw error;
    const taken = new Set(error.result.getWriteErrors().map(({ index }) => index));
    return steps.filter((_, index) => taken.has(index));
  }
}

/** Replaces documents, after their versions are in the history; returns all if one is not at its version any more. */
async function replaceAll(
  core: Core,
  type: string,
  steps: readonly Replace[],
  step: Step,
): Promise<readonly Replace[]> {
  await keepOlder(core, type, steps, step);
  const replacing = steps.map(({ document, current }): AnyBulkWriteOperation<ResourceDocument> => {
    const filter = { p: document.p, b: current.b, _id: current._id, version: current.version };
    return { replaceOne: { filter, replacement: document } };
  });
  try {
    const { matchedCount } = await resources(core, type).bulkWrite(replacing, { ordered: false, ...withSession(step) });
    return matchedCount === steps.length ? [] : steps;
  } catch (error) {
    if (isTooLarge(error)) return steps;
    throw error;
  }
}

/** Stores versions in the history, replacing one that a server may have left after losing its place. */
async function keepOlder(core: Core, type: string, steps: readonly Replace[], step: Step): Promise<void> {
  const replacing = steps.map(({ current }) => {
    const replacement = historyOf(current);
    const filter = { _id: replacement._id, p: replacement.p };
    return { replaceOne: { filter, replacement, upsert: true } };
  });
  try {
    await history(core, type).bulkWrite(replacing, { ordered: false, ...withSession(step) });
  } catch (error) {
    // Another process stores the same one concurrently; a duplicate key would end a transaction.
    if (!isOnlyTaken(error) || step.session !== undefined) throw error;
  }
}

/** A change that was done in bulk is found unchanged when it is retried. */
function asDone(again: WriteResult, done: WriteResult): WriteResult {
  const { outcome, version, lastUpdated } = again;
  return outcome === 'unchanged' && version === done.version && lastUpdated === done.lastUpdated ? done : again;
}
