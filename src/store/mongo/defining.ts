import { setTimeout } from 'node:timers/promises';
import { latestOf } from '../upkeep/views.ts';
import type { RecordKey, VersionWithText } from '../port/records.ts';
import type { DefiningPartition, StoreDefinitions } from '../port/definitions.ts';
import { mostNamedChanges } from '../record/changes.ts';
import { ofPartition } from './attachment-bucket.ts';
import { partitions, partitionsOf, readPartition } from './collections.ts';
import { type Core, type PartitionInfo, resources, type Step, withSession } from './core.ts';
import { readMany } from './current.ts';
import { livingServers } from './heartbeat.ts';
import { registerStoredIn } from './register.ts';
import { age, createRegistry } from './registry.ts';

/**
 * A partition as it is now. The registry may be a second old, so that a partition with definitions of its own is read
 * again by each request; the first of these are not acknowledged before all processes must have noticed them.
 */
export async function currentPartition({ database, registry }: Core, id: string): Promise<PartitionInfo | undefined> {
  const found = await registry.partition(id);
  return found === undefined || found.changes === 0 ? found : readPartition(database, id);
}

/**
 * The core with the definitions of a partition: that of the store, unless records of the partition are definitions.
 * What is wrong in these does not fail it.
 */
export async function coreIn(core: Core, partition: PartitionInfo): Promise<Core> {
  const { above } = core.options;
  if (above === undefined || partition.changes === 0) return core;
  const definitions = await above(definingPartition(core, partition));
  const known = cores.get(definitions);
  if (known?.below === core) return known;
  // Its own: the indexes that are complete are those of its definitions.
  const own = createRegistry(core.database);
  const registry: Core['registry'] = {
    ...core.registry,
    ready: (...of) => own.ready(...of),
    forget() {
      core.registry.forget();
      own.forget();
    },
  };
  const made: Core = { ...core, registry, options: { ...core.options, ...definitions, above: undefined }, below: core };
  cores.set(definitions, made);
  return made;
}

/** The cores of partitions, by their definitions. */
const cores = new WeakMap<StoreDefinitions, Core>();

/** Records of a type that are read at a time. */
const pageSize = 100;

function definingPartition(core: Core, { id, p, changes }: PartitionInfo): DefiningPartition {
  type Found = { readonly _id: string; readonly version: number; readonly updated: number; readonly text?: string };
  const versionOf = (type: string, { _id, version, updated, text }: Found): readonly VersionWithText[] =>
    text === undefined ? [] : [{ type, id: _id.slice(p.length + 1), version, lastUpdated: updated, text }];
  return {
    id,
    changes,
    async read(keys) {
      const found: VersionWithText[] = [];
      for (const [type, of] of Map.groupBy(keys, one => one.type)) {
        const ids = of.map(one => one.id);
        for (const stored of (await readMany(core, p, type, ids)).values()) found.push(...versionOf(type, stored));
      }
      return found;
    },
    async page(type, after) {
      const { $lt } = ofPartition(p);
      const found = await resources(core, type)
        .find({ _id: { $gt: `${p}/${after}`, $lt }, p, text: { $exists: true } })
        .project<Found>({ version: 1, updated: 1, text: 1 })
        .sort({ _id: 1 })
        .limit(pageSize)
        .toArray();
      return found.flatMap(one => versionOf(type, one));
    },
    lastChanges: async () => (await partitions(core.database).findOne({ _id: id }))?.last ?? [],
  };
}

/** Notes that records were changed which are definitions. In a transaction of the changes, it commits with them. */
export async function noteDefinitions(
  { database }: Core,
  { id, p }: PartitionInfo,
  keys: readonly RecordKey[],
  step: Step = {},
): Promise<void> {
  if (keys.length === 0) return;
  await partitions(database).updateOne(
    { _id: id, key: p },
    { $inc: { changes: keys.length }, $push: { last: { $each: [...keys], $slice: -mostNamedChanges } } },
    withSession(step),
  );
}

/**
 * Called after a write of definitions, before it is acknowledged: the indexes follow, and if these are the first
 * definitions of the partition, every process has noticed them.
 */
export async function definitionsWritten(core: Core, before: PartitionInfo): Promise<void> {
  const below = latestOf(core.below ?? core);
  below.registry.forget();
  const now = await readPartition(below.database, before.id);
  if (now === undefined) return;
  await registerStoredIn(await coreIn(below, now), now);
  if (before.changes === 0 && (await livingServers(below)).length > 1) await setTimeout(age);
}

/** Lets the indexes of all partitions follow definitions that have changed since; for a server, periodically. */
export function storedRegistration(): (core: Core) => Promise<void> {
  const done = new Map<string, StoreDefinitions['model']>();
  return async core => {
    for (const partition of await partitionsOf(core.database)) {
      if (partition.changes === 0) continue;
      const own = await coreIn(core, partition);
      if (done.get(partition.id) === own.options.model) continue;
      await registerStoredIn(own, partition);
      done.set(partition.id, own.options.model);
    }
  };
}
