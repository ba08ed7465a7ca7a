import type { Attached } from './blobs.ts';
import type { Mark, StoredVersion, WriteKey, WriteResult } from './records.ts';

/** A copy to another store: `import` stores exactly what `export` of the other one returned, and may be repeated. */
export interface Transfer<Item, Scope = undefined, Options = undefined> {
  export(scope?: Scope): AsyncIterable<Item>;
  import(items: readonly Item[], options?: Options): Promise<void>;
}

/**
 * All versions of the records of a partition, tombstones too, also of types that the definitions do not declare: by
 * type, then id, then version.
 *
 * `import` takes all versions of a record together and in order; versions that exist already stay as they are. The bytes
 * of their attachments must be stored before, or it throws `AttachmentMissing`. Versions of types that are not declared
 * get no index entries. A mark commits with the versions, or after them.
 */
export type PartitionTransfer = Transfer<KeptVersion, VersionScope, { readonly mark?: Mark }>;

/** Documents, marks and keys. `import` replaces those that exist; throws Error if their partition does not exist. */
export type NoteTransfer = Transfer<Note>;

/** Which versions are exported; undefined: all. */
export interface VersionScope {
  readonly type?: string | undefined;
  /** Only records after this one. */
  readonly after?: RecordKey | undefined;
}

export interface RecordKey {
  readonly type: string;
  readonly id: string;
}

/** What is verified. */
export interface VerifyScope {
  /** Undefined: all partitions. */
  readonly partition?: string | undefined;
  /** `indexes`: search entries; `attachments`: the bytes of attachments; undefined: all but those bytes. */
  readonly only?: 'indexes' | 'attachments';
  /** The type whose search entries are meant; undefined: all. */
  readonly type?: string | undefined;
}

/** How far a verification is. */
export interface StoreProgress {
  /**
   * `file`: the database itself; `records`, `versions`: current and older versions; `values`: what is kept beside;
   * `indexes`: their entries.
   */
  readonly step: 'file' | 'records' | 'versions' | 'values' | 'indexes';
  /** Where only search entries are verified: the type of this step. */
  readonly type?: string;
  /** Of this step. */
  readonly checked: number;
  readonly of: number | undefined;
  /** Versions so far that have no digest yet: older engines wrote them, and no server has filled it in. */
  readonly undigested: number;
  readonly findings: readonly StoreFinding[];
}

/** What is wrong in what a store keeps; by ids and names, without values. */
export interface StoreFinding {
  /**
   * `file`: the database itself; `unreadable`: a version of a record cannot be read; `lost`: it is not there any more;
   * `text`: it is not JSON; `altered`: it is not what was written; `stamp`: its text says another type, id, version or
   * time than it is kept under; `index`: entries for searches differ from the record; `value`: what is kept beside
   * records is not what was written.
   */
  readonly is: 'file' | 'unreadable' | 'lost' | 'text' | 'altered' | 'stamp' | 'index' | 'value';
  /** Undefined for what belongs to none, and where that cannot be told. */
  readonly partition: string | undefined;
  /**
   * `Type/id` for the current version, `Type/id/_history/version` for an older one, `Type?param`, or what it is in
   * words.
   */
  readonly what: string;
  /** What is wrong, or why it cannot be read as the database says it. */
  readonly why: string;
}

export interface KeptVersion extends StoredVersion {
  /** What this version carries. */
  readonly attachments: readonly Attached[];
}

/**
 * Something small that a store keeps: a document, a mark, the key of a repeatable write. Times in milliseconds since
 * 1970 UTC.
 */
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
