import { setTimeout } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { PartitionExists, StoreUnavailable } from '../port/errors.ts';
import type { PartitionAdmin, PartitionSettings } from '../port/partitions.ts';
import { latestAfterChange, latestOf } from '../upkeep/views.ts';
import { insertNew, meta, partitions, partitionsOf, readMeta, readPartition } from './collections.ts';
import type { Core } from './core.ts';
import { withPortErrors } from './failures.ts';
import { registerPartition, withOurDefinitions } from './register.ts';
import { age } from './registry.ts';
import { emptyingSteps, hidePartition } from './removal.ts';
import { definitionsDigest } from './wanted.ts';

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
          await registerPartition(latest, { id, p: key, settings });
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
