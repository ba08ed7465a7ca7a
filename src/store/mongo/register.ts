import type { AnyBulkWriteOperation } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { StoreRefused, StoreUnavailable } from '../port/errors.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import { changeTo, latestAfterChange, latestOf } from '../upkeep/views.ts';
import { ofPartition } from './attachment-bucket.ts';
import { meta, parameters, partitionsOf } from './collections.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { makeNewIndexes } from './database-indexes.ts';
import { definitionsDigest, isOfStored, noDefinitions, wantedIndexes } from './declared-indexes.ts';
import { isOnlyTaken } from './failures.ts';
import { livingServers, sayThere } from './heartbeat.ts';
import type { ParameterDocument } from './layout.ts';
import { createRegistry } from './registry.ts';

/**
 * Runs a write with the core whose definitions apply. Throws `StoreRefused` if the store is read only, or a server with
 * other definitions runs beside this command; `StoreUnavailable` if another server has brought other definitions, which
 * this one cannot follow.
 */
export async function withOurDefinitions<T>(core: Core, write: (latest: Core) => Promise<T>): Promise<T> {
  requireWriting(core);
  let latest = latestOf(core);
  if (!(await isRegistered(latest))) {
    latest = await latestAfterChange(core);
    if (core.options.mode === 'serve' && !(await isRegistered(latest))) await core.options.follow?.();
    latest = latestOf(core);
    await requireRegistered(latest);
  }
  const writing = write(latest);
  latest.writes.add(writing);
  latest.everyWrite.add(writing);
  try {
    return await writing;
  } finally {
    latest.writes.delete(writing);
    latest.everyWrite.delete(writing);
  }
}

const isRegistered = async ({ registry, options }: Core): Promise<boolean> =>
  (await registry.definitions()) === definitionsDigest(options.model);

async function requireRegistered(core: Core): Promise<void> {
  if (await isRegistered(core)) return;
  if (core.options.mode === 'serve')
    throw new StoreUnavailable(
      'no-store',
      'Another server has brought other definitions; restart this one with the same',
    );
  if ((await otherProcesses(core)).some(server => server.mode === 'serve'))
    throw new StoreRefused('A server runs on this store with other definitions; use the same ones, or stop it first');
  await register(core);
}

/** Throws `StoreRefused` if the store is read only. */
export function requireWriting({ options }: Core): void {
  if (options.mode === 'read') throw new StoreRefused('The store is open for reading only');
}

/**
 * Makes the definitions of this process the ones that writes follow: new and changed indexes become pending; indexes
 * that they lack are no longer updated, so that they are dropped. Indexes of types that they lack stay, since nothing
 * of them is written.
 */
export async function register(core: Core): Promise<void> {
  await announce(core);
  await registerPartitions(core);
}

/** Writes of all processes must follow these definitions from now on; others notice within a second. */
export async function announce(core: Core): Promise<void> {
  const value = definitionsDigest(core.options.model);
  await meta(core.database).updateOne({ _id: 'definitions' }, { $set: { value } }, { upsert: true });
  core.registry.forget();
}

/** After `announce`: a partition that is added meanwhile sees the change, and its creator retries. */
export async function registerPartitions(core: Core): Promise<void> {
  if ((await otherProcesses(core)).length > 0) core.beganBeside = true;
  for (const partition of await partitionsOf(core.database)) await registerPartition(core, partition);
  core.registry.forget();
}

/** Makes the indexes of a partition those of these definitions. */
export async function registerPartition(core: Core, partition: PartitionInfo): Promise<void> {
  const { p, settings } = partition;
  const alone = (await otherProcesses(core)).length === 0;
  const kept = await parameters(core.database)
    .find({ _id: ofPartition(p) })
    .toArray();
  const known = new Map(kept.map(one => [one._id, one]));
  const steps: AnyBulkWriteOperation<ParameterDocument>[] = [];
  for (const type of core.options.model.types.values()) {
    const wanted = new Map(
      wantedIndexes(type, settings.zone).map(one => [`${p}/${type.name}/${one.code}`, one.digest]),
    );
    const changed = [...wanted].filter(([_id, digest]) => known.get(_id)?.digest !== digest);
    const start = `${p}/${type.name}/`;
    for (const { _id, digest } of kept)
      if (_id.startsWith(start) && !wanted.has(_id) && !isOfStored(digest))
        steps.push({ deleteOne: { filter: { _id, digest } } });
    if (changed.length === 0) continue;
    const state = alone && (await isEmpty(core, p, type)) ? 'ready' : 'pending';
    for (const [_id, digest] of changed)
      steps.push({
        // If another process has done it meanwhile, `digest` is set, and it stays unchanged.
        updateOne: {
          filter: { _id, digest: { $ne: digest } },
          update: { $set: { digest, state, after: '', done: 0 } },
          upsert: !known.has(_id),
        },
      });
  }
  await bulk(core, steps);
}

/**
 * Makes the indexes of the parameters that are records of a partition those of the core, which has its definitions. New
 * ones are pending even in a type without records, since other processes may write some before they notice.
 */
export async function registerStoredIn(core: Core, { p, settings }: PartitionInfo): Promise<void> {
  const kept = await parameters(core.database)
    .find({ _id: ofPartition(p) })
    .toArray();
  const known = new Map(kept.map(one => [one._id, one]));
  const types = core.options.model.types
    .values()
    .filter(({ indexed }) => indexed.values().some(({ stored }) => stored === true));
  const wanted = new Map<string, string>(
    types.flatMap(type =>
      wantedIndexes(type, settings.zone)
        .filter(({ digest }) => isOfStored(digest))
        .map(({ code, digest }) => [`${p}/${type.name}/${code}`, digest] as const),
    ),
  );
  const removed = kept.filter(({ _id, digest }) => isOfStored(digest) && !wanted.has(_id));
  const changed = [...wanted].filter(([_id, digest]) => known.get(_id)?.digest !== digest);
  await bulk(core, [
    ...removed.map(({ _id, digest }) => ({ deleteOne: { filter: { _id, digest } } })),
    ...changed.map(([_id, digest]) => ({
      updateOne: {
        filter: { _id, digest: { $ne: digest } },
        update: { $set: { digest, state: 'pending' as const, after: '', done: 0 } },
        upsert: !known.has(_id),
      },
    })),
  ]);
}

async function bulk(core: Core, steps: AnyBulkWriteOperation<ParameterDocument>[]): Promise<void> {
  if (steps.length === 0) return;
  try {
    await parameters(core.database).bulkWrite(steps, { ordered: false });
  } catch (error) {
    // Duplicate keys: another process does the same.
    if (!isOnlyTaken(error)) throw error;
  }
}

/** Other processes with other definitions: their writes lack entries of ours for a moment longer. */
async function otherProcesses(core: Core): ReturnType<typeof livingServers> {
  const ours = definitionsDigest(core.options.model);
  const writing = (await livingServers(core)).filter(({ definitions }) => definitions !== noDefinitions);
  return writing.filter(({ _id, definitions }) => _id !== core.process && definitions !== ours);
}

async function isEmpty(core: Core, p: string, type: ResourceType): Promise<boolean> {
  const found = await resources(core, type.name).findOne({ p, _id: ofPartition(p) }, { projection: { _id: 1 } });
  return found === null;
}

/**
 * The core of a server with other definitions, which its writes follow when this resolves. Writes that began with the
 * former ones end before the indexes of the new ones are registered: their documents lack entries of these, and are
 * rebuilt like all others. `lead`: false if another process has brought the definitions.
 */
export async function redefine(core: Core, definitions: StoreDefinitions, lead: boolean): Promise<Core> {
  const before = latestOf(core);
  const latest: Core = {
    ...core,
    options: { ...core.options, ...definitions },
    registry: createRegistry(core.database),
    writes: new Set(),
    beganBeside: !lead,
  };
  await makeNewIndexes(latest);
  await changeTo(latest, async () => (lead ? announce(latest) : undefined));
  await Promise.allSettled(before.writes);
  await sayThere(latest);
  if (lead) await registerPartitions(latest);
  return latest;
}
