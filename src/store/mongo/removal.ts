import type { Collection } from 'mongodb';
import { ofPartition } from './attachment-bucket.ts';
import { removeAttachments } from './attachment-sweep.ts';
import { marks, parameters, partitions, places, removals, reservations, typesKept } from './collections.ts';
import { type Core, history, resources } from './core.ts';

/** Documents that one operation deletes. */
const slice = 1_000;

/** For how long others may write to a partition that is removed, in milliseconds: what they know of it is a second old at most. */
const late = 60_000;

/**
 * Takes a partition away; false where another process has done so. Its key is not used again: what is still there, or comes by a
 * late write, is nobody's, and `emptyingSteps` or a server deletes it.
 */
export async function hidePartition(core: Core, id: string, p: string): Promise<boolean> {
  const { database } = core;
  await removals(database).updateOne({ _id: p }, [{ $set: { since: '$$NOW' } }], { upsert: true });
  const { deletedCount } = await partitions(database).deleteOne({ _id: id, key: p });
  core.registry.forget();
  return deletedCount === 1;
}

/** Deletes what partitions that are removed have left; for a server, now and then. */
export async function sweepRemovals(core: Core): Promise<void> {
  const { database } = core;
  const old = { $expr: { $lt: ['$since', { $subtract: ['$$NOW', late] }] } };
  for (const { _id: p } of await removals(database).find(old).toArray()) {
    // The process that wanted to remove it ended before it did.
    const isKept = (await partitions(database).findOne({ key: p })) !== null;
    if (!isKept) for (const step of await emptyingSteps(core, p)) while (await step());
    await removals(database).deleteOne({ _id: p });
  }
}

/** What deletes all that is in a partition that is hidden: each is called as long as it says true. */
export async function emptyingSteps(core: Core, p: string): Promise<readonly (() => Promise<boolean>)[]> {
  const { database } = core;
  const types = await typesKept(database);
  const ofTypes = types.flatMap(type => [resources(core, type), history(core, type)]);
  const names = [...ofTypes, marks(database), parameters(database), places(database)].map(one => one.collectionName);
  return [
    ...names.map(name => () => emptySome(database.collection(name), p)),
    () => removeAttachments(core, p),
    async () => (await reservations(database).deleteMany({ p })).deletedCount > 0,
  ];
}

async function emptySome(collection: Collection<{ readonly _id: string }>, p: string): Promise<boolean> {
  const found = await collection.find({ _id: ofPartition(p) }, { projection: { _id: 1 }, limit: slice }).toArray();
  await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
  return found.length === slice;
}
