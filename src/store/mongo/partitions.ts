import { setTimeout } from 'node:timers/promises';
import type { Collection, Db } from 'mongodb';
import { PartitionExists, StoreUnavailable } from '../port/errors.ts';
import type { PartitionAdmin, PartitionSettings } from '../port/partitions.ts';
import { latestAfterChange, latestOf } from '../upkeep/views.ts';
import { ofPartition } from './attachment-bucket.ts';
import { removeAttachments } from './attachment-sweep.ts';
import {
  insertNew,
  marks,
  meta,
  parameters,
  partitions,
  partitionsOf,
  places,
  readMeta,
  readPartition,
  removals,
  reservations,
  typesKept,
  usedTypes,
} from './collections.ts';
import { type Core, versionsOf } from './core.ts';
import { definitionsDigest } from './declared-indexes.ts';
import { withPortErrors } from './failures.ts';
import { registerPartition, withOurDefinitions } from './register.ts';
import { age } from './registry.ts';

export class MongoPartitions implements PartitionAdmin {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  add(id: string, settings: PartitionSettings): Promise<void> {
    return withPortErrors(this.#core, async () => {
      const { database, registry } = this.#core;
      await withOurDefinitions(this.#core, async () => {
        while (!(await this.#isThere(id, settings))) {
          const latest = await latestAfterChange(this.#core);
          const key = await newKey(database);
          await registerPartition(latest, { id, p: key, settings, changes: 0 });
          await this.#insert(latest, id, key, settings);
        }
      });
      for (const one of [registry, latestOf(this.#core).registry]) one.forget();
    });
  }

  list(): ReturnType<PartitionAdmin['list']> {
    return withPortErrors(this.#core, async () =>
      (await partitionsOf(this.#core.database)).map(({ id, settings }) => ({ id, settings })),
    );
  }

  async remove(id: string): Promise<boolean> {
    const core = this.#core;
    const p = await withPortErrors(core, () =>
      withOurDefinitions(core, async () => (await readPartition(core.database, id))?.p),
    );
    if (p === undefined) return false;
    const removed = await withPortErrors(core, () => hidePartition(core, id, p));
    // Until no process knows it any more: none answers from half of it, and none writes there when another one has its
    // id.
    await setTimeout(age);
    // Slice by slice, since each call has its timeout.
    for (const step of await withPortErrors(core, () => emptyingSteps(core, p)))
      while (await withPortErrors(core, step));
    return removed;
  }

  async #isThere(id: string, { zone }: PartitionSettings): Promise<boolean> {
    const found = await readPartition(this.#core.database, id);
    if (found !== undefined && found.settings.zone !== zone) throw new PartitionExists(id);
    return found !== undefined;
  }

  async #insert(core: Core, id: string, key: string, { zone }: PartitionSettings): Promise<void> {
    const { database, options } = core;
    await insertNew(partitions(database), { _id: id, key, zone });
    // A process that brought other definitions meanwhile may not have seen the partition.
    if ((await readMeta(database, 'definitions')) === definitionsDigest(options.model)) return;
    await partitions(database).deleteOne({ _id: id, key });
    if ((await latestAfterChange(core)) !== core) return; // this process itself: the next attempt follows them
    throw new StoreUnavailable('no-store', 'Another process has brought other definitions meanwhile; try again');
  }
}

/** A key that no partition has or had. */
async function newKey(database: Db): Promise<string> {
  // A pipeline, since the values of `meta` are texts as well as numbers.
  const next = [{ $set: { value: { $add: [{ $ifNull: ['$value', 0] }, 1] } } }];
  const last = await meta(database).findOneAndUpdate({ _id: 'partitions' }, next, {
    upsert: true,
    returnDocument: 'after',
  });
  return Number(last?.value).toString(36);
}

/** Documents that one operation deletes. */
const deleteSlice = 1_000;

/** How long other processes may write to a removed partition, in milliseconds: their cache is a second old at most. */
const late = 60_000;

/**
 * Removes a partition; false if another process has done so. Its key is not used again: remaining data, and late
 * writes, belong to no partition, and `emptyingSteps` or a server deletes them.
 */
async function hidePartition(core: Core, id: string, p: string): Promise<boolean> {
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
async function emptyingSteps(core: Core, p: string): Promise<readonly (() => Promise<boolean>)[]> {
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
