import type { MongoClient } from 'mongodb';
import { fewAtOnce } from '../record/few-at-once.ts';
import { attachingTypes } from './attachment-records.ts';
import { indexesOf } from './collection-indexes.ts';
import { collectionNames, typesKept } from './collections.ts';
import type { Core } from './core.ts';
import { indexesOfDatabase } from './database-indexes.ts';
import { isCode } from './failures.ts';
import { definitionsDigest } from './wanted.ts';

/**
 * Types whose indexes are created concurrently: with all of R4 at once, most would wait for a connection until their
 * timeout.
 */
const typesAtOnce = 4;

/** Creates the indexes of declared types that have no collection yet: fast on empty collections. */
export async function makeNewIndexes(core: Core): Promise<void> {
  const known = new Set(await typesKept(core.database));
  const types = [...core.options.model.types.keys()].filter(name => !known.has(name));
  await fewAtOnce(types, typesAtOnce, type => makeIndexes(core, type));
  if (core.deployment.sharded) await makeCollections(core);
}

/**
 * A transaction over several shards cannot create a collection.
 * https://www.mongodb.com/docs/manual/core/transactions-operations/
 */
async function makeCollections({ database, options }: Core): Promise<void> {
  const older = [...options.model.types.keys()].map(type => `${type}.history`);
  const known = new Set(await collectionNames(database));
  for (const name of [...older, 'ids', 'marks'].filter(one => !known.has(one)))
    await database.createCollection(name).catch((error: unknown) => {
      if (!isCode(error, namespaceExists)) throw error; // another process does the same
    });
}

const namespaceExists = 48;

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
