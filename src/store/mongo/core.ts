import type { ClientSession, Collection, Db, MongoClient } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import type { PartitionSettings } from '../partitions.ts';
import type { StoreOptions } from '../store.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';

/** What the parts of the store share. */
export interface Core {
  readonly client: MongoClient;
  readonly database: Db;
  readonly options: StoreOptions;
  readonly deployment: Deployment;
  readonly registry: Registry;
  /** `_id` of this process in `servers`. */
  readonly process: string;
  /** What owners are digested with, so that a bucket tells nobody who the owner is; the same in all processes. */
  readonly bucketKey: string;
  /** The last `lastUpdated` that this process gave, by partition. */
  readonly stamps: Map<string, number>;
  /** Work that is under way: closing waits for it. */
  readonly underWay: Set<Promise<unknown>>;
  /** Aborted when the store is closed. */
  readonly ending: AbortSignal;
}

/** What the server at the other end can do. */
export interface Deployment {
  /** Sessions and transactions: a replica set or a sharded cluster. */
  readonly transactions: boolean;
  /** Behind mongos: filters then name partition and bucket, and ids go through the directory. */
  readonly sharded: boolean;
}

/** What the store says of partitions and indexes: read again where it is older than a second. */
export interface Registry {
  /** A partition by id; asked anew where it is not known. */
  partition(id: string): Promise<PartitionInfo | undefined>;
  /** The digest of the definitions that writes follow. */
  definitions(): Promise<string | undefined>;
  /** Codes of a type (parameters, and pairs as `owner+token`) that are complete. */
  ready(p: string, type: ResourceType): Promise<ReadonlySet<string>>;
  /** Forgets what was read: for what this process changes itself. */
  forget(): void;
}

export interface PartitionInfo {
  readonly id: string;
  readonly p: string;
  readonly settings: PartitionSettings;
}

/** The collection of the current resources of a type. */
export function resources({ database }: Core, type: string): Collection<ResourceDocument> {
  return database.collection<ResourceDocument>(type);
}

/** The collection of older versions of a type. */
export function history({ database }: Core, type: string): Collection<HistoryDocument> {
  return database.collection<HistoryDocument>(`${type}.history`);
}

/** What a step of a transaction passes on to the driver. */
export interface Step {
  readonly session?: ClientSession;
}

/** What an operation takes of a step. */
export function withSession({ session }: Step): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}
