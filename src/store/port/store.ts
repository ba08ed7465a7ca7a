import type { ChainPlace } from '../audit/line.ts';
import type { CountUse } from '../server/index-usage.ts';
import type { WriteRelay } from '../server/relay.ts';
import type { AttachmentProgress } from './blobs.ts';
import type { StoreDefinitions } from './definitions.ts';
import type { DocumentStore } from './documents.ts';
import type { Lack } from './errors.ts';
import type { IndexAdmin } from './indexes.ts';
import type { Partition, PartitionAdmin } from './partitions.ts';
import type { NoteTransfer, StoreProgress, VerifyScope } from './transfer.ts';

/** The dependencies of a store. */
export interface StoreOptions extends StoreDefinitions {
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
  /**
   * Called by a server before a write fails because another process has brought other definitions: `redefine` may make
   * this process follow them, and the write is tried again.
   */
  readonly follow?: () => Promise<void>;
  /**
   * Called before the definitions are used, with the documents of the store: returns others to use instead, if what is
   * stored there says so.
   */
  readonly choose?: ((documents: Store['documents']) => Promise<StoreDefinitions | undefined>) | undefined;
  /**
   * False for a server that brings no definitions to a store with several: another process of it has registered these,
   * or others since.
   */
  readonly lead?: boolean;
  /**
   * Commits the writes of this process, which serves an embedded store beside the process that writes, locks and keeps
   * it up. A store behind a server ignores it: each process writes itself.
   */
  readonly relay?: WriteRelay | undefined;
  /** How many processes of this server read an embedded store: together they use the threads of one. */
  readonly processes?: number;
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
  /** The digest of the model that writes follow; undefined if no process has written yet. */
  readonly definitions: string | undefined;
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
  /**
   * Switches a server to other definitions, and returns the store as these define it; the same connections, closed by
   * either. New and changed indexes are built in the background. Calls of this object that are running, or are made
   * later, read with its definitions, without the indexes that are no longer updated (`IndexPending`); what they write
   * gets the entries of the new ones, or throws `StoreUnavailable` if these do not declare it. `lead`: false if another
   * process has brought the definitions. Throws as `openStore`.
   */
  redefine(definitions: StoreDefinitions, lead: boolean): Promise<Store>;
  /** The chains of the audit log: separate from the records, writable in every mode, and not copied with them. */
  readonly chains: ChainPlace;
  /** For `StoreOptions.relay` of other processes of this server; undefined if each process writes itself. */
  readonly relay: WriteRelay | undefined;
  close(): Promise<void>;
}
