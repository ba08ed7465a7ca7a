import type { ClientSession, Collection, Db, MongoClient } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import type { PartitionSettings } from '../port/partitions.ts';
import type { StoreOptions } from '../port/store.ts';
import type { Views } from '../upkeep/views.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';

/** The shared state of the store's modules. */
export interface Core {
  readonly client: MongoClient;
  readonly database: Db;
  readonly options: StoreOptions;
  readonly deployment: Deployment;
  readonly registry: Registry;
  /** `_id` of this process in `servers`. */
  readonly process: string;
  /** The key of the digests of owners, so that a bucket does not reveal the owner; the same in all processes. */
  readonly bucketKey: string;
  /** The last `lastUpdated` of this process, by partition. */
  readonly stamps: Map<string, number>;
  /** Running work: closing waits for it. */
  readonly underWay: Set<Promise<unknown>>;
  /** Running writes of documents with the entries of these definitions. */
  readonly writes: Set<Promise<unknown>>;
  /** Running writes of all definitions, each of which may still choose its `lastUpdated`. */
  readonly everyWrite: Set<Promise<unknown>>;
  /** Whether processes with other definitions may still have been writing when these were registered. */
  beganBeside: boolean;
  readonly views: Views<Core>;
  /** In a core with the definitions of a partition: that with the definitions below them. */
  readonly below?: Core;
  /** Aborted when the store is closed. */
  readonly ending: AbortSignal;
}

/** The features of the deployment. */
export interface Deployment {
  /** Behind mongos: filters then name partition and bucket, and ids are looked up in the directory. */
  readonly sharded: boolean;
}

/** The state of partitions and indexes in the store: read again if it is older than a second. */
export interface Registry {
  /** A partition by id; read again if it is unknown. */
  partition(id: string): Promise<PartitionInfo | undefined>;
  /** The digest of the definitions that writes must follow. */
  definitions(): Promise<string | undefined>;
  /** Codes of a type (parameters, and pairs as `owner+token`) that are complete. */
  ready(p: string, type: ResourceType): Promise<ReadonlySet<string>>;
  /** Clears the cache, after changes of this process itself. */
  forget(): void;
}

export interface PartitionInfo {
  readonly id: string;
  readonly p: string;
  readonly settings: PartitionSettings;
  /** The number of committed changes of records that are definitions. */
  readonly changes: number;
}

/** The collection of the current resources of a type. */
export function resources({ database }: Core, type: string): Collection<ResourceDocument> {
  return database.collection<ResourceDocument>(type);
}

/** The collection of older versions of a type. */
export function history({ database }: Core, type: string): Collection<HistoryDocument> {
  return database.collection<HistoryDocument>(`${type}.history`);
}

/** Both, with the fields of the second, in this order: a version is in the history before it is replaced. */
export function versionsOf(core: Core, type: string): readonly Collection<HistoryDocument>[] {
  return [resources(core, type) as unknown as Collection<HistoryDocument>, history(core, type)]; // it has these fields
}

/** The session of a transaction's step, for the driver. */
export interface Step {
  readonly session?: ClientSession;
}

/** The options of an operation in a step. */
export function withSession({ session }: Step): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}
