import type { AuditLog } from '../audit/log/log.ts';
import type { Extract } from '../indexing/extract.ts';
import type { Model } from '../model/model.ts';
import type { AttachmentProgress } from './blobs.ts';
import type { DocumentStore } from './documents.ts';
import type { Lack } from './errors.ts';
import type { IndexAdmin } from './indexes.ts';
import type { Partition, PartitionAdmin } from './partitions.ts';
import type { NoteTransfer, StoreProgress, VerifyScope } from './transfer.ts';

/** What a store needs from the rest of the engine. */
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
  /** Longest run of a statement whose work is not bounded beforehand, in milliseconds. */
  readonly deadline: number;
  /**
   * Longest wait for a server behind the store, in milliseconds; left out, a call may take longer than each of its
   * answers.
   */
  readonly timeout?: number;
  /** Is told what fails beside the requests, once until it works again: it is tried again. */
  readonly fault?: (error: unknown) => void;
  /** Is told, while the store opens, what its operator should know: a whole sentence, with what to do. */
  readonly notice?: (text: string) => void;
}

/**
 * What every store implements: the ports of records, blobs, documents, indexes, transfer and partitions, each in its
 * file. test/store/contract.ts is their meaning.
 */
export interface Store extends NoteTransfer {
  partition(id: string): Promise<Partition | undefined>;
  readonly partitions: PartitionAdmin;
  readonly indexes: IndexAdmin;
  /** Small values with expiry: cursor keys, and later sessions, launches and reservations. */
  documents(collection: string): DocumentStore;
  /** Problems of a store that can read, as sentences without ids or paths; throws when it cannot read. */
  check(): Promise<readonly string[]>;
  /** Whether a server, in any process, works on this store now: long writes would hold up its own. */
  served(): Promise<boolean>;
  /** Which promises of this port the store cannot keep where it runs; none for an embedded store. */
  readonly lacks: readonly Lack[];
  /**
   * Reads all that is kept beside the audit log, or what the scope says, and reports what is damaged: what differs from
   * its digest, is not what it should be, or cannot be read, which keeps nothing else from being read. Search entries
   * are computed again, bytes are compared with what records and their older versions refer to.
   */
  verify(scope?: VerifyScope): AsyncIterable<StoreProgress | AttachmentProgress>;
  /** Who did what: kept apart from the records, whatever the mode, and not copied with them. */
  readonly audit: AuditLog;
  close(): Promise<void>;
}
