import type { IndexDescription, MongoClient } from 'mongodb';
import type { DatabaseIndex } from '../port/indexes.ts';
import { fewAtOnce } from '../record/few-at-once.ts';
import { attachingTypes } from './attachment-records.ts';
import { attachedIndex, indexesOf } from './collection-indexes.ts';
import { collectionNames, typesKept } from './collections.ts';
import type { Core } from './core.ts';
import { definitionsDigest } from './declared-indexes.ts';
import { isCode } from './failures.ts';
import { makeShardedCollections } from './shard-collections.ts';

/**
 * Types whose indexes are created concurrently: with all of R4 at once, most would wait for a connection until their
 * timeout.
 */
const typesAtOnce = 4;

/** Creates the indexes of declared types that have no collection yet: fast on empty collections. */
export async function makeNewIndexes(core: Core): Promise<void> {
  const known = new Set(await collectionNames(core.database));
  if (core.deployment.sharded) await makeShardedCollections(core, known);
  const types = [...core.options.model.types.keys()].filter(name => !known.has(name));
  await fewAtOnce(types, typesAtOnce, type => makeIndexes(core, type));
}

/**
 * Creates all missing indexes, unless another process's definitions apply; on large collections it takes minutes,
 * without blocking reads and writes. `connect` returns a client that waits for it.
 */
export async function makeMissingIndexes(core: Core, connect: () => MongoClient): Promise<void> {
  // Another process may have dropped indexes that only these definitions need.
  if ((await core.registry.definitions()) !== definitionsDigest(core.options.model)) return;
  const found = await indexesOfDatabase(core);
  if (!found.some(({ state }) => state === 'missing')) return;
  const client = connect();
  const end = (): void => void client.close().catch(() => undefined);
  core.ending.addEventListener('abort', end);
  try {
    const database = client.db(core.database.databaseName, { readPreference: 'primary' });
    const patient: Core = { ...core, client, database };
    const attaching = new Set(await attachingTypes(patient));
    for (const type of new Set([...core.options.model.types.keys(), ...attaching]))
      await makeIndexes(patient, type, attaching.has(type));
  } finally {
    core.ending.removeEventListener('abort', end);
    end();
  }
}

async function makeIndexes(core: Core, type: string, attaches = false): Promise<void> {
  for (const [collection, indexes] of indexesOf(core, type, attaches))
    if (indexes.length > 0) await core.database.collection(collection).createIndexes([...indexes]);
}

/** Collections that are read concurrently: all of R4 take less than a second then, also with a latency of 50 ms. */
export const atOnce = 20;

/**
 * The indexes of resource collections that differ from the definitions: missing, being built, or unused. Indexes with
 * other names are not managed here.
 */
export async function indexesOfDatabase(core: Core): Promise<readonly DatabaseIndex[]> {
  const attaching = new Set(await attachingTypes(core));
  const types = await typesKept(core.database);
  const wanted = types.flatMap(type => indexesOf(core, type, attaching.has(type)));
  return (await fewAtOnce(wanted, atOnce, ([collection, indexes]) => compare(core, collection, indexes))).flat();
}

/** Drops those that the definitions no longer need. */
export async function dropUnused(core: Core): Promise<readonly DatabaseIndex[]> {
  const found = await indexesOfDatabase(core);
  for (const { collection, name, state } of found)
    if (state === 'unused') await core.database.collection(collection).dropIndex(name);
  return found;
}

async function compare(
  core: Core,
  collection: string,
  wanted: readonly IndexDescription[],
): Promise<readonly DatabaseIndex[]> {
  const kept = await listIndexes(core, collection);
  const names = new Set(wanted.map(({ name }) => name));
  const lacking = wanted.flatMap(({ name = '' }): DatabaseIndex[] => {
    const index = kept.find(one => one.name === name);
    if (index !== undefined && !index.building) return [];
    return [{ collection, name, state: index === undefined ? 'missing' : 'building' }];
  });
  const unused = kept
    .filter(({ name }) => isOurs(name) && !names.has(name))
    .map(({ name }) => ({ collection, name, state: 'unused' }) as const);
  return [...lacking, ...unused];
}

/** The names of `indexesOf`, whatever the definitions. */
function isOurs(name: string): boolean {
  return name === attachedIndex.name || /^(t|t_.+|o|s|d|n|h)(_shard)?$/.test(name);
}

/** https://www.mongodb.com/docs/manual/reference/command/listIndexes/ */
async function listIndexes(
  { database }: Core,
  collection: string,
): Promise<readonly { readonly name: string; readonly building: boolean }[]> {
  const found = await database
    .runCursorCommand({ listIndexes: collection, includeIndexBuildInfo: true })
    .toArray()
    .catch((error: unknown) => {
      if (isCode(error, namespaceNotFound)) return [];
      throw error;
    });
  return found.map(({ spec, indexBuildInfo }) => ({ name: String(spec.name), building: indexBuildInfo !== undefined }));
}

const namespaceNotFound = 26;

/**
 * All indexes of the collections of resources with their sizes on disk, from the statistics that the server has anyway.
 * `differing`: those that differ from the definitions; missing ones have no size.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/collStats/
 */
export async function indexSizes(core: Core, differing: readonly DatabaseIndex[]): Promise<readonly DatabaseIndex[]> {
  const states = new Map(differing.map(one => [`${one.collection} ${one.name}`, one.state]));
  const names = await collectionNames(core.database);
  const found = await fewAtOnce(
    names.filter(name => /^[A-Z][A-Za-z]*(\.history)?$/.test(name)).toSorted(),
    atOnce,
    async collection =>
      [...(await sizesIn(core, collection))].map(([name, bytes]): DatabaseIndex => {
        return { collection, name, state: states.get(`${collection} ${name}`) ?? 'ready', bytes };
      }),
  );
  return [...found.flat(), ...differing.filter(({ state }) => state === 'missing')];
}

/** The sizes by name; each is the sum of all shards. */
async function sizesIn({ database }: Core, collection: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const stats = database.collection(collection).aggregate([{ $collStats: { storageStats: {} } }]);
  for await (const { storageStats } of stats)
    for (const [name, bytes] of Object.entries<unknown>(storageStats?.indexSizes ?? {}))
      sizes.set(name, (sizes.get(name) ?? 0) + Number(bytes));
  return sizes;
}
