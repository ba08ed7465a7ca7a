import type { ParsedJson } from '../../fhir/json.ts';
import type { Position, Query, Sort } from '../../search/ast.ts';
import type { Attached } from './blobs.ts';
import type { Explain } from './explained.ts';

/** The records of a partition. */
export interface RecordStore {
  /** The current version, also a tombstone, or the one with a number; undefined if there is none. */
  read(type: string, id: string, version?: number): Promise<StoredVersion | undefined>;
  /** The existing current versions, also tombstones, in the order of the keys. */
  readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]>;
  search(type: string, search: StoreSearch): Promise<Page>;
  /**
   * The number of current resources of a type, 0 for an unknown one; with a query, of those that match, which has the
   * deadline.
   */
  count(type: string, query?: Query, explain?: Explain): Promise<number>;
  /**
   * The declared types that may have records: of others no record was acknowledged before. With `referringTo`,
   * those of records that refer to one of these by an indexed parameter; throws `IndexPending` if such an index is not
   * complete. In the order of the definitions.
   */
  types(referringTo?: Referred): Promise<readonly string[]>;
  /**
   * Atomic, and durable when it resolves. One result per change, in order. Throws `VersionConflict`, `SeveralMatch`,
   * `RequirementFailed`, `KeyUsed`, `AttachmentMissing`, `RecordTooLarge`, and like `search` if a
   * precondition or requirement has a query. Without changes a key is only looked up: the results that `write` would
   * repeat for it; none if it is free.
   */
  write(changes: readonly Change[], options?: WriteOptions): Promise<readonly WriteResult[]>;
  /** The progress of a load with this key; undefined if it never ran. */
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
   * The owners (indexing/owners.ts), derived at the write; absent in a tombstone, in a type without `access-link`, and
   * if other definitions wrote the version.
   */
  readonly owners?: readonly string[] | undefined;
  /**
   * When the record was created, in milliseconds since 1970 UTC: `lastUpdated` of its first version after its last
   * tombstone. Only in a page in the default order of a type without a sort date, which is this order.
   */
  readonly created?: number | undefined;
}

/** A version that is no tombstone. */
export type VersionWithText = StoredVersion & { readonly text: string };

export const hasText = (version: StoredVersion): version is VersionWithText => version.text !== undefined;

/**
 * One change. The text is split at the place where the store writes `"versionId":"…","lastUpdated":"…"`
 * (fhir/resource-text.ts).
 */
export type Change =
  | {
      readonly kind: 'put';
      readonly type: string;
      readonly id: string;
      readonly text: { readonly before: string; readonly after: string };
      /** The parsed resource, if the caller has it. */
      readonly parsed?: ParsedJson | undefined;
      readonly precondition?: Precondition;
      /**
       * The results of `putAttachment` for this version; if omitted, the attachments of the version before. Old
       * versions keep theirs.
       */
      readonly attachments?: readonly Attached[];
    }
  | {
      readonly kind: 'remove';
      readonly type: string;
      readonly id: string;
      readonly precondition?: VersionPrecondition;
    };

export type Put = Extract<Change, { readonly kind: 'put' }>;

export type VersionPrecondition =
  /** With a version: that of the tombstone, 0 if the id was never used. */
  { readonly is: 'absent'; readonly version?: number } | { readonly is: 'version'; readonly version: number };

export type Precondition =
  | VersionPrecondition
  /**
   * No resource of the change's type matches, decided atomically with the write: then the id must be free, and it is
   * created. If one matches, the result is `matched` and nothing of this change is written; several throw
   * `SeveralMatch`. With `except`, the ids of the records of this type that the write changes, those are not looked at,
   * and a match throws `RequirementFailed`: then nothing of the whole write is done.
   */
  | { readonly is: 'no-match'; readonly query: Query; readonly except?: readonly string[] };

export interface WriteOptions {
  /**
   * `all`: atomic (the default). `each`: one by one, in any order except for changes of the same resource; after an
   * error others may be done: for repeatable work, such as a load. After a `VersionConflict` it has their results
   * (`done`). A store may write atomically here too.
   */
  readonly unit?: 'all' | 'each';
  /** Commits with the changes, or after them if they are written one by one. */
  readonly mark?: Mark;
  /** Commits with the changes; if it was used before, nothing is written (no mark either). */
  readonly key?: WriteKey;
  /**
   * Must hold before the changes, else nothing is written and `RequirementFailed` is thrown. Decided atomically with
   * the write, except in a store that lacks `commit-order`: there, just before it.
   */
  readonly requires?: readonly Requirement[];
}

/** What a write needs of other records than those that it changes. */
export type Requirement =
  /** The record exists. */
  | { readonly is: 'there'; readonly type: string; readonly id: string }
  /** No record of the type matches. */
  | { readonly is: 'no-match'; readonly type: string; readonly query: Query }
  /** No record refers to one of these by an indexed parameter, apart from those in `except`. */
  | (Referred & { readonly is: 'unreferred'; readonly except: readonly RecordKey[] });

/** Records to which others may refer. */
export interface Referred {
  readonly type: string;
  readonly ids: readonly string[];
  /** The base of absolute references to them. */
  readonly base: string;
}

export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** Makes a write repeatable: until `expires` the same key and body get the first results again. */
export interface WriteKey {
  /** Unique in the partition: a digest of its parts. */
  readonly key: string;
  /** Digest of the content; the same key with another one throws `KeyUsed`. */
  readonly body: string;
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** Commits with the changes: the progress of a load with `key`. */
export interface Mark {
  readonly key: string;
  readonly value: string;
}

export interface WriteResult {
  readonly outcome: WriteOutcome | 'repeated';
  /** The original outcome, if it is `repeated`. */
  readonly first?: WriteOutcome;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
}

/**
 * `unchanged`: the text is the same, so no version was made (or there was nothing to remove). `matched`: the resource
 * that a `no-match` found.
 */
export type WriteOutcome = 'created' | 'updated' | 'unchanged' | 'removed' | 'matched';

export interface StoreSearch {
  readonly query: Query;
  /** At least one key. */
  readonly sort: readonly Sort[];
  readonly limit: number;
  readonly after?: Position;
  readonly explain?: Explain | undefined;
}

export interface Page {
  readonly versions: readonly StoredVersion[];
  /** Position of the last version, if there are more. */
  readonly next: Position | undefined;
}

/** Maximum length of a record's text, in bytes of UTF-8. */
export const longestRecord = 8 * 1024 * 1024;
