import { BSON, type Collection, type Document, type MongoClient } from 'mongodb';
import type { Call } from './call.ts';
import { Refusal } from './errors.ts';
import { commandOf } from './messages.ts';
import { checkIndexes, checkPipeline, checkWrite } from './referee.ts';
import { type Reach, reachOf, reachOfDocument, type ShardKey, unsharded } from './shards.ts';

/** Where a command went: tests read it by `{ bridgeTouched: 1 }` in their database. */
export interface Touched {
  readonly command: string;
  readonly collection: string;
  readonly isSharded: boolean;
  readonly statements: number;
  /** How many shards it touched, and how its filter names them; of several statements the widest. */
  readonly shards: number;
  readonly reach: Reach['is'];
}

/** A shard key by the name of its collection; the port of the router has no name. */
interface KeptKey {
  readonly _id: string;
  readonly key?: ShardKey;
  readonly port?: number;
}

/** The write of an open transaction: its shards, and whether it makes a collection. */
interface Writing {
  readonly shards: Set<number>;
  makes: boolean;
}

const looked: ReadonlySet<string> = new Set(
  'insert update delete findAndModify find aggregate count distinct createIndexes'.split(' '),
);

/** Commands that a test may read; more are forgotten. */
const most = 10_000;

/**
 * What makes the engine look like a sharded cluster at the port of a router: it knows the shard keys, refuses what a
 * cluster refuses, and notes which shards a command would touch. The documents are in the one engine.
 */
export class Router {
  readonly #client: MongoClient;
  readonly #kept: Collection<KeptKey>;
  readonly #keys = new Map<string, ShardKey>();
  readonly #touched = new Map<string, Touched[]>();
  readonly #writing = new Map<string, Writing>();
  /** Its port, once a test has asked for it. */
  port: number | undefined;

  constructor(client: MongoClient) {
    this.#client = client;
    this.#kept = client.db('bridge').collection('shardKeys');
  }

  /** Reads the shard keys that were there before a start; gives the port on which the router was. */
  async recover(): Promise<number | undefined> {
    let found: number | undefined;
    for await (const { _id, key, port } of this.#kept.find({}, { promoteValues: true }))
      if (key === undefined) found = port;
      else this.#keys.set(_id, key);
    return found;
  }

  async listensOn(port: number): Promise<void> {
    this.port = port;
    await this.#kept.replaceOne({ _id: '' }, { port }, { upsert: true });
  }

  /** https://www.mongodb.com/docs/v7.0/reference/command/hello/#sharded-instances */
  hello(engine: Document): Document {
    delete engine['topologyVersion'];
    return {
      ...engine,
      helloOk: true,
      bridge: true,
      msg: 'isdbgrid',
      logicalSessionTimeoutMinutes: new BSON.Int32(30),
    };
  }

  /** Answers what only a router knows; undefined for other commands. Throws `Refusal`. */
  async answer({ name, database, request }: Call): Promise<Document | undefined> {
    if (name === 'enableSharding') return {};
    if (name === 'shardCollection') {
      const { shardCollection, key, unique } = commandOf(request);
      await this.#shard(String(shardCollection), keyOf(key as Document), unique === true);
      return { collectionsharded: String(shardCollection) };
    }
    if (name !== 'bridgeTouched') return undefined;
    const touched = this.#touched.get(database) ?? [];
    this.#touched.delete(database);
    return { touched };
  }

  /** Refuses a command that a cluster would refuse, and notes where it goes otherwise. Throws `Refusal`. */
  async check(call: Call): Promise<void> {
    const { name, database, request } = call;
    if (name === 'replSetStepDown') throw new Refusal(59, 'CommandNotFound', `no such cmd: ${name}`);
    if (name === 'dropDatabase') await this.#forget(database);
    if (call.starts) this.#writing.set(call.session, { shards: new Set(), makes: false });
    if (!looked.has(name)) return;
    const command = commandOf(request);
    const collection = String(command[name]);
    const namespace = `${database}.${collection}`;
    const key = this.#keys.get(namespace);
    if (name === 'aggregate') {
      const stages = (command['pipeline'] ?? []) as readonly Document[];
      checkPipeline(stages, call, of => this.#keys.has(`${database}.${of}`));
      for (const { coll, pipeline } of unionsOf(stages))
        this.#note(call, `${coll}`, this.#filtered(database, coll, pipeline));
    }
    if (key !== undefined) {
      if (name === 'createIndexes') checkIndexes(key, command);
      if (name === 'distinct' && call.inTransaction)
        throw new Refusal(263, 'OperationNotSupportedInTransaction', 'Cannot run distinct on a sharded collection');
      await checkWrite({ namespace, key, name, command, call, read: filter => this.#read(call, collection, filter) });
    }
    if (name === 'createIndexes') return;
    const reaches = key === undefined ? [unsharded] : reachesOf(name, command, namespace, key);
    this.#note(call, collection, reaches);
    if (call.inTransaction && isWrite(name)) await this.#checkNew(call, collection, reaches);
  }

  /** The answer to `explain`, with the shards that would have answered. */
  explained(call: Call, engine: Document): Document {
    const command = commandOf(call.request)['explain'] as Document;
    const [name = ''] = Object.keys(command);
    const namespace = `${call.database}.${String(command[name])}`;
    const key = this.#keys.get(namespace);
    const reaches = key === undefined ? [unsharded] : reachesOf(name, command, namespace, key);
    const shards = [...new Set(reaches.flatMap(reach => [...reach.shards]))];
    const named = (part: Document): readonly Document[] => shards.map(at => ({ shardName: `shard${at}`, ...part }));
    if (engine['queryPlanner'] === undefined)
      return { ...engine, shards: Object.fromEntries(named(engine).map(one => [one['shardName'] as string, one])) };
    const stage = shards.length === 1 ? 'SINGLE_SHARD' : 'SHARD_MERGE';
    const winningPlan = { stage, shards: named(engine['queryPlanner'] as Document) };
    return { ...engine, queryPlanner: { mongosPlannerVersion: 1, winningPlan } };
  }

  /** Ends what is known of a session's transaction. */
  end(session: string): void {
    this.#writing.delete(session);
  }

  /** https://www.mongodb.com/docs/v7.0/core/sharding-shard-a-collection/ */
  async #shard(namespace: string, key: ShardKey, unique: boolean): Promise<void> {
    const known = this.#keys.get(namespace);
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(key)) return;
    if (known !== undefined)
      throw new Refusal(23, 'AlreadyInitialized', `sharding already enabled for collection ${namespace}`);
    const at = namespace.indexOf('.');
    const collection = this.#client.db(namespace.slice(0, at)).collection(namespace.slice(at + 1));
    const indexes = await collection.listIndexes().toArray().catch((): Document[] => []); // prettier-ignore
    checkIndexes(key, { indexes });
    const begins = (index: Document): boolean =>
      JSON.stringify(Object.entries(keyOf(index['key'] as Document)).slice(0, Object.keys(key).length)) ===
      JSON.stringify(Object.entries(key));
    if (!indexes.some(begins)) {
      if ((await collection.findOne()) !== null)
        throw new Refusal(72, 'InvalidOptions', 'Please create an index that starts with the proposed shard key');
      await collection.createIndex(key, unique ? { unique } : {});
    }
    await this.#kept.replaceOne({ _id: namespace }, { key }, { upsert: true });
    this.#keys.set(namespace, key);
  }

  async #forget(database: string): Promise<void> {
    const dropped = [...this.#keys.keys()].filter(name => name.startsWith(`${database}.`));
    for (const name of dropped) this.#keys.delete(name);
    this.#touched.delete(database);
    await this.#kept.deleteMany({ _id: { $in: dropped } });
  }

  #note({ name, database }: Call, collection: string, reaches: readonly Reach[]): void {
    const touched = this.#touched.get(database) ?? [];
    this.#touched.set(database, touched);
    const shards = new Set(reaches.flatMap(reach => [...reach.shards])).size;
    const reach = (['all', 'few'] as const).find(wide => reaches.some(({ is }) => is === wide)) ?? 'one';
    const isSharded = this.#keys.has(`${database}.${collection}`);
    if (touched.length < most)
      touched.push({ command: name, collection, isSharded, statements: reaches.length, shards, reach });
  }

  #filtered(database: string, collection: unknown, pipeline: unknown): readonly Reach[] {
    const namespace = `${database}.${String(collection)}`;
    const key = this.#keys.get(namespace);
    return key === undefined ? [unsharded] : reachesOf('aggregate', { pipeline }, namespace, key);
  }

  async #read({ database }: Call, collection: string, filter: Document): Promise<Document | undefined> {
    return (await this.#client.db(database).collection(collection).findOne(filter)) ?? undefined;
  }

  /**
   * No transaction that writes on several shards may make a collection.
   * https://www.mongodb.com/docs/v7.0/core/transactions-operations/#create-collections-and-indexes-in-a-transaction
   */
  async #checkNew(call: Call, collection: string, reaches: readonly Reach[]): Promise<void> {
    const writing = this.#writing.get(call.session);
    if (writing === undefined) return;
    for (const reach of reaches) for (const shard of reach.shards) writing.shards.add(shard);
    const found = await this.#client.db(call.database).listCollections({ name: collection }, { nameOnly: true }).next();
    writing.makes ||= found === null;
    if (writing.makes && writing.shards.size > 1)
      throw new Refusal(
        263,
        'OperationNotSupportedInTransaction',
        `Cannot create ${call.database}.${collection} in a transaction that writes on several shards`,
      );
  }
}

const isWrite = (name: string): boolean => ['insert', 'update', 'delete', 'findAndModify'].includes(name);

/** A key in the one form of its numbers. */
const keyOf = (key: Document): ShardKey =>
  Object.fromEntries(Object.entries(key).map(([field, kind]) => [field, kind === 'hashed' ? 'hashed' : 1]));

/** Where each statement of a command goes. */
function reachesOf(name: string, command: Document, namespace: string, key: ShardKey): readonly Reach[] {
  const filtered = (filter: unknown): Reach => reachOf(namespace, key, filter ?? {});
  const list = (of: string): readonly Document[] => (command[of] ?? []) as readonly Document[];
  if (name === 'insert') return list('documents').map(one => reachOfDocument(namespace, key, one));
  if (name === 'update') return list('updates').map(({ q }) => filtered(q));
  if (name === 'delete') return list('deletes').map(({ q }) => filtered(q));
  if (name === 'aggregate') return [filtered(list('pipeline')[0]?.['$match'])];
  return [filtered(command['filter'] ?? command['query'])];
}

/** The other collections that a pipeline reads. */
const unionsOf = (stages: readonly Document[]): readonly Document[] =>
  stages.flatMap(stage => (stage['$unionWith'] === undefined ? [] : [stage['$unionWith'] as Document]));
