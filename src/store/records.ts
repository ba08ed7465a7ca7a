import type { ParsedJson } from '../fhir/json.ts';
import type { Position, Query, Sort } from '../search/ast.ts';
import type { Attached } from './blobs.ts';

/** The records of a partition. */
export interface RecordStore {
  /** The current version, a tombstone too, or the one of a number; undefined where there is none. */
  read(type: string, id: string, version?: number): Promise<StoredVersion | undefined>;
  /** The current versions, tombstones too, of those that are there, in the order of the keys. */
  readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]>;
  search(type: string, search: StoreSearch): Promise<Page>;
  count(type: string, query: Query): Promise<number>;
  /** Current resources by type. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /**
   * All changes or none, durable when it resolves. One result a change, in order. Throws `VersionConflict`,
   * `SeveralMatch`, `KeyUsed`, `AttachmentMissing`, `RecordTooLarge`, `PromiseLacking`, and as `search` does where a
   * precondition asks a query.
   */
  write(changes: readonly Change[], options?: WriteOptions): Promise<readonly WriteResult[]>;
  /**
   * What `write` with this key would give again, told without a write; undefined where the key is free. Throws
   * `KeyUsed`.
   */
  repeated(key: WriteKey): Promise<readonly WriteResult[] | undefined>;
  /** How far a load of this key came; undefined where it never ran. */
  mark(key: string): Promise<string | undefined>;
}

export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly version: number;
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number;
  /** The exact JSON text; undefined for a tombstone. */
  readonly text: string | undefined;
  /**
   * Whom it belongs to (indexing/owners.ts), as derived at its write; absent in a tombstone, in a type without
   * `access-link`, and if other definitions or an older layout wrote it.
   */
  readonly owners?: readonly string[] | undefined;
}

/**
 * One change. The text is given around the place where the store writes `"versionId":"…","lastUpdated":"…"`
 * (fhir/resource-text.ts).
 */
export type Change =
  | {
      readonly kind: 'put';
      readonly type: string;
      readonly id: string;
      readonly text: { readonly before: string; readonly after: string };
      /** The parsed resource, where the caller has it. */
      readonly parsed?: ParsedJson;
      readonly precondition?: Precondition;
      /**
       * What `putAttachment` kept for this version; left out: what the version before carries. Old versions keep
       * theirs.
       */
      readonly attachments?: readonly Attached[];
    }
  | {
      readonly kind: 'remove';
      readonly type: string;
      readonly id: string;
      readonly precondition?: VersionPrecondition;
    };

export type VersionPrecondition = { readonly is: 'absent' } | { readonly is: 'version'; readonly version: number };

export type Precondition =
  | VersionPrecondition
  /**
   * No resource of the change's type matches, decided in one step with the write: then the id must be free, and it is
   * created. Where one matches, the result is `matched` and nothing of this change is written; several throw
   * `SeveralMatch`.
   */
  | { readonly is: 'no-match'; readonly query: Query };

export interface WriteOptions {
  /**
   * `all`: all changes or none (the default). `each`: one by one, in any order but for changes of the same resource;
   * where one throws, others may be done: for what may be repeated, such as a load. A store may do all or none here
   * too.
   */
  readonly unit?: 'all' | 'each';
  /** Commits with the changes, or after them where they are done one by one. */
  readonly mark?: Mark;
  /** Commits with the changes; where it was used before, nothing is written (no mark either). */
  readonly key?: WriteKey;
}

/** Makes a repeated write one: within `expires` the same key and body get the first results again. */
export interface WriteKey {
  /** Unique in the partition: a digest of whatever makes it so. */
  readonly key: string;
  /** Digest of what is written; the same key with another one throws `KeyUsed`. */
  readonly body: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** Commits with the changes: how far a load of `key` came. */
export interface Mark {
  readonly key: string;
  readonly value: string;
}

export interface WriteResult {
  readonly outcome: WriteOutcome | 'repeated';
  /** The outcome of the first time, where it is `repeated`. */
  readonly first?: WriteOutcome;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
}

/**
 * `unchanged`: the text is the same, so no version was made (or nothing was there to remove). `matched`: the resource
 * that a `no-match` found.
 */
export type WriteOutcome = 'created' | 'updated' | 'unchanged' | 'removed' | 'matched';

export interface StoreSearch {
  readonly query: Query;
  /** At least one key. */
  readonly sort: readonly Sort[];
  readonly limit: number;
  readonly after?: Position;
}

export interface Page {
  readonly versions: readonly StoredVersion[];
  /** Position of the last version, where more remain. */
  readonly next: Position | undefined;
}

/** The longest text of a record, in bytes of UTF-8, that a store takes (record-length.ts). */
export const longestRecord = 8 * 1024 * 1024;
