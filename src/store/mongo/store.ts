import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { makeOnce } from '../../limits/cache.ts';
import type { ChainPlace } from '../audit/line.ts';
import type { DocumentStore } from '../port/documents.ts';
import type { Lack } from '../port/errors.ts';
import type { IndexAdmin } from '../port/indexes.ts';
import type { Partition } from '../port/partitions.ts';
import type { StoreDefinitions } from '../port/definitions.ts';
import type { Store, StoreOptions, StoreState, StoreWaiting } from '../port/store.ts';
import type { Note, VerifyScope } from '../port/transfer.ts';
import { doChores } from '../upkeep/chores.ts';
import { modelDigest } from '../upkeep/definitions.ts';
import { Indexes } from '../upkeep/indexes.ts';
import { verify } from '../upkeep/verify.ts';
import { auditCollection } from './audit-collection.ts';
import { choresOf, prepareToServe } from './background.ts';
import { readMeta } from './collections.ts';
import { connect, patientClient } from './connect.ts';
import type { Core } from './core.ts';
import { coreIn, currentPartition } from './defining.ts';
import { makeNewIndexes } from './database-indexes.ts';
import { MongoDocuments } from './documents.ts';
import { atLength, openingError, portError, withPortErrors, withPortErrorsEach } from './failures.ts';
import { livingServers, startHeartbeat } from './heartbeat.ts';
import { mongoIndexes } from './indexes.ts';
import { followMoments } from './moments.ts';
import { keptNotes, putNotes } from './notes.ts';
import { MongoPartition } from './partition.ts';
import { MongoPartitions } from './partitions.ts';
import { prepareDatabase, readStore } from './prepare-database.ts';
import { redefine, register } from './register.ts';
import { createRegistry } from './registry.ts';
import { bytesOf } from './verify-attachments.ts';
import { partsOf } from './verify-store.ts';

/**
 * Opens the store in a MongoDB database, created if it does not exist unless the mode is `read`. Throws `StoreRefused`
 * for problems of configuration (credentials, a newer layout, a database with other content), `StoreUnavailable` if no
 * server answers.
 */
export async function openMongoStore(url: string, options: StoreOptions): Promise<Store> {
  const longest = options.timeout ?? options.deadline + grace;
  const { client, name, deployment, close } = await connect(url, longest);
  const ending = new AbortController();
  try {
    // Reads that decide a write go to the primary, whatever the URL says of searches.
    const database = client.db(name, { readPreference: 'primary' });
    const opened: Core = {
      client,
      database,
      options,
      deployment,
      registry: createRegistry(database),
      process: randomUUID(),
      bucketKey: await prepareDatabase(database, options),
      stamps: new Map(),
      underWay: new Set(),
      writes: new Set(),
      everyWrite: new Set(),
      beganBeside: options.lead === false,
      views: { latest: undefined, changing: undefined },
      ending: ending.signal,
    };
    const chosen = await options.choose?.(collection => new MongoDocuments(opened, collection));
    const core: Core = { ...opened, options: { ...options, ...chosen, choose: undefined } };
    const leave = options.mode === 'read' ? async () => {} : await startHeartbeat(core);
    const endFollowing = options.mode === 'read' ? () => {} : await followMoments(core);
    if (options.mode !== 'read') await makeNewIndexes(core);
    if (options.mode === 'serve') {
      if (options.lead !== false) await register(core);
      await prepareToServe(core);
    }
    const fault = (error: unknown): void => options.fault?.(portError(error, options.deadline));
    const chores = options.mode === 'serve' ? choresOf(core, () => patientClient(url, longest)) : [];
    const working = doChores(chores, core.ending, fault);
    const end = async (): Promise<void> => {
      await Promise.allSettled([...core.underWay, working]);
      await leave().catch(() => undefined);
    };
    const closing = makeOnce(async () => {
      ending.abort();
      endFollowing();
      // An unavailable server is not waited for.
      await Promise.race([end(), setTimeout(longestEnd, undefined, { ref: false })]);
      await close();
    });
    return new MongoStore(core, closing);
  } catch (error) {
    ending.abort();
    await close();
    throw openingError(error);
  }
}

/** The server should have answered this long after the deadline of a statement, in milliseconds. */
const grace = 5_000;

/** Time for running work when the store is closed, in milliseconds. */
const longestEnd = 10_000;

/** Throws `StoreRefused` if the database at a URL has no store, and like `openMongoStore`. */
export const requireMongoStore = (url: string): Promise<void> => readStore(url, async () => undefined);

/** What several processes cannot keep, each with its own clock. */
const commitOrder: Lack = {
  promise: 'commit-order',
  why:
    'Several processes and servers write to a MongoDB store, each by its own clock: a change may ' +
    'become visible after another one with a later `lastUpdated`.',
};

class MongoStore implements Store {
  readonly lacks: readonly Lack[];
  readonly relay = undefined;
  readonly partitions: MongoPartitions;
  readonly indexes: IndexAdmin;
  readonly chains: ChainPlace;
  readonly close: () => Promise<void>;
  readonly #core: Core;
  readonly #indexes: ReturnType<typeof mongoIndexes>;

  constructor(core: Core, close: () => Promise<void>) {
    this.#core = core;
    this.close = close;
    this.lacks = [commitOrder];
    this.partitions = new MongoPartitions(core);
    this.#indexes = mongoIndexes(core);
    this.indexes = new Indexes(this.#indexes);
    this.chains = auditCollection(core);
  }

  partition(id: string): Promise<Partition | undefined> {
    return withPortErrors(this.#core, async () => {
      const found = await currentPartition(this.#core, id);
      return found === undefined ? undefined : new MongoPartition(await coreIn(this.#core, found), found);
    });
  }

  documents(collection: string): DocumentStore {
    return new MongoDocuments(this.#core, collection);
  }

  check(): Promise<StoreState> {
    return withPortErrors(this.#core, async () => {
      const { database, options } = this.#core;
      if (options.mode === 'serve') await database.command({ ping: 1 });
      const served = options.mode === 'serve' || (await livingServers(this.#core)).some(({ mode }) => mode === 'serve');
      // Not by the registry, which may be a second old: who asks decides by it what to follow.
      const definitions = await readMeta(database, 'definitions');
      return {
        problems: [],
        served,
        definitions: modelDigest(definitions?.toString()),
      };
    });
  }

  get waiting(): StoreWaiting {
    return { writes: this.#core.underWay.size, searches: 0 };
  }

  verify(scope?: VerifyScope): ReturnType<Store['verify']> {
    const core = this.#core;
    const parts = (partition: string | undefined): ReturnType<typeof partsOf> => partsOf(core, partition);
    return withPortErrorsEach(core, () =>
      verify({ indexes: this.#indexes, parts, bytes: ({ p }) => bytesOf(core, p) }, scope),
    );
  }

  export(): AsyncIterable<Note> {
    return withPortErrorsEach(this.#core, () => keptNotes(this.#core));
  }

  import(notes: readonly Note[]): Promise<void> {
    return withPortErrors(this.#core, () => putNotes(this.#core, notes));
  }

  redefine(definitions: StoreDefinitions, lead: boolean): Promise<Store> {
    return atLength(this.#core, async () => new MongoStore(await redefine(this.#core, definitions, lead), this.close));
  }
}
