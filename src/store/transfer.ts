import type { Attached } from './blobs.ts';
import type { Mark, StoredVersion, WriteKey, WriteResult } from './records.ts';

/** All data of a partition's records, for copying to another store. */
export interface PartitionTransfer {
  /** Types with stored data, tombstones too, also undeclared ones; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the resources of a type, declared or not, tombstones too: by id, then version; after an id. */
  versions(type: string, after?: string): AsyncIterable<KeptVersion>;
  /**
   * Stores versions unchanged; all versions of a resource must be adjacent and in order. Repeatable: existing ones
   * stay. Their attachments must be stored before, or it throws `AttachmentMissing`. Those of an undeclared type have
   * no index entries.
   */
  restore(versions: readonly KeptVersion[], options?: { readonly mark?: Mark }): Promise<void>;
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
  /** Of this step. */
  readonly checked: number;
  readonly of: number | undefined;
  /** Versions so far without a digest: older engines wrote them, and no server has added it yet. */
  readonly undigested: number;
  readonly findings: readonly StoreFinding[];
}

/** A fault in the data of a store; by ids and names, without values. */
export interface StoreFinding {
  /**
   * `file`: the database itself; `unreadable`: a version of a record cannot be read; `lost`: it does not exist any
   * more; `text`: it is not JSON; `altered`: it differs from what was written; `stamp`: its text has another type, id,
   * version or time than its key; `index`: search entries differ from the record; `value`: other data differs from what
   * was written.
   */
  readonly is: 'file' | 'unreadable' | 'lost' | 'text' | 'altered' | 'stamp' | 'index' | 'value';
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
