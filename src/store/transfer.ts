import type { Attached } from './blobs.ts';
import type { Mark, StoredVersion, WriteKey, WriteResult } from './records.ts';

/** Everything that a partition keeps of its records, to be copied to another store. */
export interface PartitionTransfer {
  /** Types of which anything is kept, tombstones too, also where the definitions do not declare them; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the resources of a type, declared or not, tombstones too: by id, then version; after an id. */
  versions(type: string, after?: string): AsyncIterable<KeptVersion>;
  /**
   * Keeps versions exactly as another store had them; all versions of a resource come together and in order. May be
   * repeated: what is there already stays. Their bytes must be kept before, or it throws `AttachmentMissing`. Where the
   * type is not declared they are kept without index entries.
   */
  restore(versions: readonly KeptVersion[], options?: { readonly mark?: Mark }): Promise<void>;
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
