import type { Attached } from './blobs.ts';
import type { Mark, StoredVersion, WriteKey, WriteResult } from './records.ts';

/** A copy to another store: `import` stores exactly what `export` of the other one returned, and may be repeated. */
export interface Transfer<Item, Scope = undefined, Options = undefined> {
  export(scope?: Scope): AsyncIterable<Item>;
  import(items: readonly Item[], options?: Options): Promise<void>;
}

/**
 * All versions of the records of a partition, tombstones too, also of types that the definitions do not declare: by
 * type, then id, then version; with a `HistoryScope` in the order of time.
 *
 * `import` takes all versions of a record together and in order; versions that exist already stay as they are. The
 * bytes of their attachments must be stored before, or it throws `AttachmentMissing`. Versions of types that are not
 * declared get no index entries. A mark commits with the versions, or after them.
 */
export type PartitionTransfer = Transfer<KeptVersion, VersionScope | HistoryScope, { readonly mark?: Mark }>;

/** Documents, marks and keys. `import` replaces those that exist; throws Error if their partition does not exist. */
export type NoteTransfer = Transfer<Note>;

/** Which versions are exported; undefined: all. */
export interface VersionScope {
  readonly type?: string | undefined;
  /** Only records after this one. */
  readonly after?: RecordKey | undefined;
}

/**
 * Versions in the order of `lastUpdated`, then type, id and version. The key of a version never changes, so that a walk
 * which continues after one neither repeats nor omits another, whatever is written meanwhile.
 */
export interface HistoryScope {
  readonly order: 'newest' | 'oldest';
  /** Types, each once; with `ids` only the versions of these records, each once. */
  readonly of: readonly { readonly type: string; readonly ids?: readonly string[] | undefined }[];
  /** Bounds of `lastUpdated`, inclusive, in milliseconds since 1970 UTC. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only versions after this one in the order. */
  readonly after?: VersionKey | undefined;
  /** Number of versions that are read at once: the usual length of a walk. */
  readonly slice: number;
}

/**
 * The records of a partition as they were at a moment, whatever is written and deleted meanwhile. A moment is a
 * `lastUpdated`: the store has every version up to it, and will write later ones only.
 */
export interface MomentReader {
  /**
   * A moment, in milliseconds since 1970 UTC: not before the call, and not before any write that was acknowledged
   * before. Throws `StoreUnavailable` if writes that are open do not end in time.
   */
  moment(): Promise<number>;
  /** The records of a type at a moment, in pages, each record once. */
  at(scope: MomentScope): AsyncIterable<MomentPage>;
}

export interface MomentScope {
  readonly type: string;
  /** A moment. */
  readonly moment: number;
  /**
   * Only records whose state changed after this moment, deleted ones too, in the order of time; undefined: all that
   * were not deleted, in the order of ids.
   */
  readonly since?: number | undefined;
  /** Only records after this place. */
  readonly after?: MomentPlace | undefined;
  /** Only these records, in any order, on one page; without `since`. */
  readonly ids?: readonly string[] | undefined;
}

/** Where a page ends. JSON. */
export interface MomentPlace {
  readonly id: string;
  /** With `since`: the version that was read last. */
  readonly version?: VersionKey;
}

export interface MomentPage {
  readonly records: readonly MomentRecord[];
  readonly end: MomentPlace;
}

export interface MomentRecord extends KeptVersion {
  /** The version before a tombstone. */
  readonly before?: StoredVersion | undefined;
}

/** The place of a version in the order of time. */
export type VersionKey = Pick<StoredVersion, 'lastUpdated' | 'type' | 'id' | 'version'>;

export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** The scope of a verification. */
export interface VerifyScope {
  /** Undefined: all partitions. */
  readonly partition?: string | undefined;
  /** `indexes`: search entries; `attachments`: attachments; undefined: all except attachments. */
  readonly only?: 'indexes' | 'attachments';
  /** The type of the search entries; undefined: all. */
  readonly type?: string | undefined;
}

/** The progress of a verification. */
export interface StoreProgress {
  /**
   * `file`: the database itself; `records`, `versions`: current and older versions; `values`: other data; `indexes`:
   * their entries.
   */
  readonly step: 'file' | 'records' | 'versions' | 'values' | 'indexes';
  /** If only search entries are verified: the type of this step. */
  readonly type?: string;
  /** What this step has checked so far. */
  readonly checked: number;
  readonly of: number | undefined;
  readonly findings: readonly StoreFinding[];
}

/** A fault in the data of a store; by ids and names, without values. */
export interface StoreFinding {
  /**
   * `file`: the database itself; `text`: a version of a record is not JSON; `altered`: it differs from what was
   * written; `stamp`: its text has another type, id, version or time than its key; `index`: search entries differ from
   * the record; `value`: other data differs from what was written.
   */
  readonly is: 'file' | 'text' | 'altered' | 'stamp' | 'index' | 'value';
  /** Undefined for data of no partition, or of an unknown one. */
  readonly partition: string | undefined;
  /** `Type/id` for the current version, `Type/id/_history/version` for an older one, `Type?param`, or a description. */
  readonly what: string;
  /** The fault, or the database's error. */
  readonly why: string;
}

export interface KeptVersion extends StoredVersion {
  /** The attachments of this version. */
  readonly attachments: readonly Attached[];
}

/** A small piece of data: a document, a mark, the key of a repeatable write. Times in milliseconds since 1970 UTC. */
export type Note =
  | {
      readonly kind: 'document';
      readonly collection: string;
      readonly key: string;
      readonly value: unknown;
      readonly expires: number | undefined;
    }
  | { readonly kind: 'mark'; readonly partition: string; readonly mark: Mark }
  | {
      readonly kind: 'key';
      readonly partition: string;
      readonly key: WriteKey;
      readonly results: readonly WriteResult[];
    };
