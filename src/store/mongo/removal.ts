import type { Collection } from 'mongodb';
import { ofPartition } from './attachment-bucket.ts';
import { removeAttachments } from './attachment-sweep.ts';
import { marks, parameters, partitions, places, removals, reservations, typesKept, usedTypes } from './collections.ts';
import { type Core, versionsOf } from './core.ts';

/** Documents that one operation deletes. */
const deleteSlice = 1_000;

/** How long other processes may write to a removed partition, in milliseconds: their cache is a second old at most. */
const late = 60_000;

/**
 * Removes a partition; false if another process has done so. Its key is not used again: remaining data, and late
 * writes, belong to no partition, and `emptyingSteps` or a server deletes them.
 */
export async function hidePartition(core: Core, id: string, p: string): Promise<boolean> {
  const { database } = core;
  await removals(database).updateOne({ _id: p }, [{ $set: { since: '$$NOW' } }], { upsert: true });
  const { deletedCount } = await partitions(database).deleteOne({ _id: id, key: p });
  core.registry.forget();
  return deletedCount === 1;
}

/** Deletes the remaining data of removed partitions; for a server, periodically. */
export async function sweepRemovals(core: Core): Promise<void> {
  const { database } = core;
  const old = { $expr: { $lt: ['$since', { $subtract: ['$$NOW', late] }] } };
  for (const { _id: p } of await removals(database).find(old).toArray()) {
    // The process that removed it ended before it was done.
    const isKept = (await partitions(database).findOne({ key: p })) !== null;
    if (!isKept) for (const step of await emptyingSteps(core, p)) while (await step());
    await removals(database).deleteOne({ _id: p });
  }
}

/** The steps that delete all data of a hidden partition: each is called as long as it returns true. */
export async function emptyingSteps(core: Core, p: string): Promise<readonly (() => Promise<boolean>)[]> {
  const { database } = core;
  const types = await typesKept(database);
  const ofTypes = types.flatMap(type => versionsOf(core, type));
  const names = [...ofTypes, marks(database), parameters(database), places(database), usedTypes(database)].map(
    one => one.collectionName,
  );
  return [
    ...names.map(name => () => emptySome(database.collection(name), p)),
    () => removeAttachments(core, p),
    async () => (await reservations(database).deleteMany({ p })).deletedCount > 0,
  ];
}

async function emptySome(collection: Collection<{ readonly _id: string }>, p: string): Promise<boolean> {
  const found = await collection
    .find({ _id: ofPartition(p) }, { projection: { _id: 1 }, limit: deleteSlice })
    .toArray();
  await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return found.length === deleteSlice;
}
