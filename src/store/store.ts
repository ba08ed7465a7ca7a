import type { ChainPlace } from '../audit/log/place.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Model } from '../model/model.ts';
import type { AttachmentProgress } from './blobs.ts';
import type { DocumentStore } from './documents.ts';
import type { Lack } from './errors.ts';
import type { CountUse } from './index-usage.ts';
import type { IndexAdmin } from './indexes.ts';
import type { Partition, PartitionAdmin } from './partitions.ts';
import type { NoteTransfer, StoreProgress, VerifyScope } from './transfer.ts';

/** The dependencies of a store. */
export interface StoreOptions {
  readonly model: Model;
  readonly extract: Extract;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /**
   * `serve` takes the lock against a second server and rebuilds indexes; `command` works beside it; `read` never
   * writes.
   */
  readonly mode: 'serve' | 'command' | 'read';
  /** Time limit of a statement whose work is not bounded in advance, in milliseconds. */
  readonly deadline: number;
  /**
   * Timeout of a server behind the store, in milliseconds; without it, a call may take longer than each of its answers.
   */
  readonly timeout?: number;
  /** Receives background failures, once until it works again: the work is retried. */
  readonly fault?: (error: unknown) => void;
  /** Receives each use of an index by a search or a count. */
  readonly used?: CountUse;
  /** Receives the time of each commit and checkpoint of an embedded store, in milliseconds; undefined: not measured. */
  readonly timed?: StoreTimes | undefined;
  /** Receives notices for the operator while the store opens: whole sentences with the remedy. */
  readonly notice?: (text: string) => void;
}

/** Receives the time of a step of writing, in milliseconds. */
export type StoreTimes = (step: 'commit' | 'checkpoint', milliseconds: number) => void;

/** What a store has not answered yet. */
export interface StoreWaiting {
  /** Writes that are not durable yet. */
  readonly writes: number;
  /** Searches that wait for a thread; 0 if a server behind the store has its own queue. */
  readonly searches: number;
}

/** The state of a readable store. */
export interface StoreState {
  /** Sentences without ids or paths. */
  readonly problems: readonly string[];
  /** Whether a server, in any process, uses this store now: long writes would delay its own. */
  readonly served: boolean;
}

/**
 * The interface of every store: the ports of records, blobs, documents, indexes, transfer and partitions, each in its
 * file. test/store/contract.ts defines their behaviour.
 */
export interface Store extends NoteTransfer {
  partition(id: string): Promise<Partition | undefined>;
  readonly partitions: PartitionAdmin;
  readonly indexes: IndexAdmin;
  /** Small values with expiry: cursor keys, sessions, launches and reservations. */
  documents(collection: string): DocumentStore;
  /** Throws if the store cannot be read. */
  check(): Promise<StoreState>;
  readonly waiting: StoreWaiting;
  /** The promises of this port that the store cannot keep in its deployment; empty for an embedded store. */
  readonly lacks: readonly Lack[];
  /**
   * Reads all data except the audit log, or the part in the scope, and reports damage: data that differs from its
   * digest, is invalid, or is unreadable, while the rest is still read. Search entries are computed again, attachments
   * are compared with the records and older versions that reference them.
   */
  verify(scope?: VerifyScope): AsyncIterable<StoreProgress | AttachmentProgress>;
  /** The chains of the audit log: separate from the records, writable in every mode, and not copied with them. */
  readonly chains: ChainPlace;
  close(): Promise<void>;
}
