import type { Model } from '../../model/model.ts';
import { ownerOf } from './bucket.ts';
import type { Core } from './core.ts';
import { isCode } from './failures.ts';

/** The fields of a shard key in their order. */
type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/**
 * The shard keys of the collections that grow with the records; the others stay on one shard. Records of a type with an
 * owner are together with those of the same owner (bucket.ts).
 */
export function shardKeys({ types }: Pick<Model, 'types'>): ReadonlyMap<string, ShardKey> {
  const keys = new Map<string, ShardKey>([
    ['ids', { _id: 'hashed' }],
    ['reservations', { _id: 'hashed' }],
    ['attachments.chunks', { files_id: 1, n: 1 }],
  ]);
  for (const type of types.values()) {
    keys.set(type.name, ownerOf(type) === undefined ? { p: 1, _id: 1 } : { p: 1, b: 1, _id: 1 });
    keys.set(`${type.name}.history`, { p: 1, _id: 1 });
  }
  return keys;
}

/**
 * Makes and shards the collections that are not among the known ones, on a sharded cluster: a transaction over several
 * shards cannot create a collection. They stay on one shard where the user may not shard them, or if they have content.
 * https://www.mongodb.com/docs/manual/core/transactions-operations/
 */
export async function makeShardedCollections(core: Core, known: ReadonlySet<string>): Promise<void> {
  const keys = shardKeys(core.options.model);
  for (const [name, key] of keys) {
    // The one of reservations has been made with its index.
    const isNew = !known.has(name === 'reservations' ? 'ids' : name);
    if (isNew && !(await shard(core, name, key))) await make(core, name);
  }
  if (!known.has('marks')) await make(core, 'marks');
}

/** https://www.mongodb.com/docs/manual/reference/command/shardCollection/ */
async function shard({ client, database }: Core, name: string, key: ShardKey): Promise<boolean> {
  // The index of chunks is unique, and made with the same name.
  const unique = name === 'attachments.chunks' ? { unique: true } : {};
  const command = { shardCollection: `${database.databaseName}.${name}`, key, ...unique };
  try {
    await client.db('admin').command(command);
    return true;
  } catch (error) {
    if (isCode(error, unauthorized, invalidOptions)) return false;
    throw error;
  }
}

async function make({ database }: Core, name: string): Promise<void> {
  await database.createCollection(name).catch((error: unknown) => {
    if (!isCode(error, namespaceExists)) throw error; // another process does the same
  });
}

const unauthorized = 13;
const namespaceExists = 48;
/** A collection with content has no index that begins with the key. */
const invalidOptions = 72;
