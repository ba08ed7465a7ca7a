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
 * Removes a partition, and all that is in it; false where another process has removed it. Its key is not used again: what a
 * crash or a late write leaves is nobody's, and a server deletes it.
 */
export async function removePartition(core: Core, id: string, p: string): Promise<boolean> {
  const { database } = core;
  await removals(database).updateOne({ _id: p }, [{ $set: { since: '$$NOW' } }], { upsert: true });
  const { deletedCount } = await partitions(database).deleteOne({ _id: id, key: p });
  core.registry.forget();
  await emptyPartition(core, p);
  return deletedCount === 1;
}

/** Deletes what partitions that are removed have left; for a server, now and then. */
export async function sweepRemovals(core: Core): Promise<void> {
  const { database } = core;
  const old = { $expr: { $lt: ['$since', { $subtract: ['$$NOW', late] }] } };
  for (const { _id: p } of await removals(database).find(old).toArray()) {
    // The process that wanted to remove it ended before it did.
    const isKept = (await partitions(database).findOne({ key: p })) !== null;
    if (!isKept) await emptyPartition(core, p);
    await removals(database).deleteOne({ _id: p });
  }
}

async function emptyPartition(core: Core, p: string): Promise<void> {
  const { database } = core;
  const types = await typesKept(database);
  const ofTypes = types.flatMap(type => [resources(core, type), history(core, type)]);
  for (const { collectionName } of [...ofTypes, marks(database), parameters(database), places(database)])
    await empty(database.collection(collectionName), p);
  while (await removeAttachments(core, p));
  await reservations(database).deleteMany({ p });
}

async function empty(collection: Collection<{ readonly _id: string }>, p: string): Promise<void> {
  let ids: readonly string[];
  do {
    const found = await collection.find({ _id: ofPartition(p) }, { projection: { _id: 1 }, limit: slice }).toArray();
    ids = found.map(({ _id }) => _id);
    await collection.deleteMany({ _id: { $in: ids } });
  } while (ids.length === slice);
}
