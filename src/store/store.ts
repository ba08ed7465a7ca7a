import type { AuditLog } from '../audit/log/log.ts';
import type { Readable } from 'node:stream';
import type { ParsedJson } from '../fhir/json.ts';
import type { IndexEntry } from '../indexing/entry.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Position, Query, Sort } from '../search/ast.ts';

/** What a store needs from the rest of the engine. */
export interface StoreOptions {
  readonly model: Model;
  readonly extract: Extract;
  /** Both at another public URL: a command goes on by that of a server which has started meanwhile, unless entries depend on it. */
  readonly at?: (publicUrl: string) => Pick<StoreOptions, 'model' | 'extract'>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** `serve` takes the lock against a second server and rebuilds indexes; `command` works beside it; `read` never writes. */
  readonly mode: 'serve' | 'command' | 'read';
  /** Longest run of a statement whose work is not bounded beforehand, in milliseconds. */
  readonly deadline: number;
  /** Longest wait for a server behind the store, in milliseconds; left out, a call may take longer than each of its answers. */
  readonly timeout?: number;
  /** Is told what fails beside the requests, once until it works again: it is tried again. */
  readonly fault?: (error: unknown) => void;
  /** Is told, while the store opens, what its operator should know: a whole sentence, with what to do. */
  readonly notice?: (text: string) => void;
}

/** Reads the index entries out of a resource's text (indexing/extract.ts); `parsed` is the parsed text where the caller has it. */
export type Extract = (
  type: ResourceType,
  text: string,
  partition: { readonly id: string; readonly zone: string },
  parsed?: ParsedJson,
) => readonly IndexEntry[];

/** The port that every store implements; test/store/contract.ts is its meaning. */
export interface Store {
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
   * Reads all that is kept, or of one partition, beside the bytes of attachments and the audit log, and reports what is
   * damaged: what differs from its digest, is not what it should be, or cannot be read, which keeps nothing else from
   * being read.
   */
  verify(partition?: string): AsyncIterable<StoreProgress>;
  /** Who did what: kept apart from the records, whatever the mode, and not copied with them. */
  readonly audit: AuditLog;
  /** What is kept beside resources and attachments, to be copied to another store. */
  notes(): AsyncIterable<Note>;
  /** Keeps notes as another store had them; may be repeated. Throws Error where their partition is not there. */
  putNotes(notes: readonly Note[]): Promise<void>;
  close(): Promise<void>;
}

/** How far a verification is. */
export interface StoreProgress {
  /**
   * `file`: the database itself; `records`, `versions`: current and older versions; `values`: what is kept beside;
   * `indexes`: their entries.
   */
  readonly step: 'file' | 'records' | 'versions' | 'values' | 'indexes';
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

export interface PartitionSettings {
  /** IANA zone in which dateTimes without a zone are read; default `UTC`. */
  readonly zone: string;
}

export interface PartitionAdmin {
  /** Throws `PartitionExists` where the id is taken with other settings. */
  add(id: string, settings: PartitionSettings): Promise<void>;
  /** In the order of ids. Counts the resources, which takes a while where they are many. */
  list(): Promise<readonly { readonly id: string; readonly settings: PartitionSettings; readonly resources: number }[]>;
  /** Their ids alone, in order. */
  ids(): Promise<readonly string[]>;
  /** Removes the partition with everything in it; false where there is none. */
  remove(id: string): Promise<boolean>;
}

export interface Partition {
  readonly id: string;
  readonly settings: PartitionSettings;
  read(type: string, id: string): Promise<StoredVersion | undefined>;
  readVersion(type: string, id: string, version: number): Promise<StoredVersion | undefined>;
  readMany(keys: readonly { readonly type: string; readonly id: string }[]): Promise<readonly StoredVersion[]>;
  search(type: string, search: StoreSearch): Promise<Page>;
  count(type: string, query: Query): Promise<number>;
  /**
   * All changes or none, durable when it resolves. One result a change, in order. Throws `VersionConflict`, `SeveralMatch`,
   * `KeyUsed`, `AttachmentMissing`, `RecordTooLarge`, `PromiseLacking`, and as `search` does where a precondition asks a query.
   */
  write(changes: readonly Change[], options?: WriteOptions): Promise<readonly WriteResult[]>;
  /** What `write` with this key would give again, told without a write; undefined where the key is free. Throws `KeyUsed`. */
  repeated(key: WriteKey): Promise<readonly WriteResult[] | undefined>;
  /**
   * Keeps bytes apart from the records, the same bytes once; durable when it resolves. Where those that are there are
   * damaged they are written again. After 7 days without a record that refers to them a sweep moves them to the trash,
   * from which they come back when they are put again, or when a record refers to them. After 7 days there a sweep
   * deletes them (attachment-ages.ts).
   */
  putAttachment(bytes: Uint8Array): Promise<{ readonly digest: string; readonly size: number }>;
  /** The bytes of a digest, also those in the trash; undefined where they are not kept. */
  attachment(digest: string): Promise<Readable | undefined>;
  /** What the current resources of a type carry, or these of them alone, in id order. */
  attachments(type: string, ids?: readonly string[]): AsyncIterable<KeptAttachment>;
  /** Reads all bytes that are kept and compares them with what records, and their older versions, refer to. */
  verifyAttachments(): AsyncIterable<AttachmentProgress>;
  /** Current resources of a type in id order (no tombstones), after an id. */
  scan(type: string, after?: string): AsyncIterable<StoredVersion>;
  /** Types of which anything is kept, tombstones too, also where the definitions do not declare them; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the resources of a type, declared or not, tombstones too: by id, then version; after an id. */
  versions(type: string, after?: string): AsyncIterable<KeptVersion>;
  /**
   * Keeps versions exactly as another store had them; all versions of a resource come together and in order. May be repeated:
   * what is there already stays. Their bytes must be kept before, or it throws `AttachmentMissing`. Where the type is not
   * declared they are kept without index entries.
   */
  restore(versions: readonly KeptVersion[], options?: { readonly mark?: Mark }): Promise<void>;
  /** Current resources by type. */
  counts(): Promise<ReadonlyMap<string, number>>;
  /** How far a load of this key came; undefined where it never ran. */
  mark(key: string): Promise<string | undefined>;
  /** Which parameters of a type cannot be searched yet, with how far their rebuild is. */
  pending(type: string): Promise<readonly PendingIndex[]>;
}

export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly version: number;
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number;
  /** The exact JSON text; undefined for a tombstone. */
  readonly text: string | undefined;
}

export interface KeptVersion extends StoredVersion {
  /** What this version carries. */
  readonly attachments: readonly Attached[];
}

/** Something small that a store keeps: a document, a mark, the key of a repeatable write. Times in milliseconds since 1970 UTC. */
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

/** A promise of the port that a store may lack, and why it lacks it here, as a sentence for operators. */
export interface Lack {
  /**
   * `several-at-once`: a write of several changes is all or none. `commit-order`: every commit of a partition has a later
   * `lastUpdated` than the one before it.
   */
  readonly promise: 'several-at-once' | 'commit-order';
  readonly why: string;
}

/** One change. The text is given around the place where the store writes `"versionId":"…","lastUpdated":"…"` (fhir/resource-text.ts). */
export type Change =
  | {
      readonly kind: 'put';
      readonly type: string;
      readonly id: string;
      readonly text: { readonly before: string; readonly after: string };
      /** The parsed resource, where the caller has it. */
      readonly parsed?: ParsedJson;
      readonly precondition?: Precondition;
      /** What `putAttachment` kept for this version; left out: what the version before carries. Old versions keep theirs. */
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
   * created. Where one matches, the result is `matched` and nothing of this change is written; several throw `SeveralMatch`.
   */
  | { readonly is: 'no-match'; readonly query: Query };

/** Bytes that belong to a place in a resource. */
export interface Attached {
  /** Element path, as the definition of the type names it. */
  readonly path: string;
  /** SHA-256 in hex, lower case. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
}

export interface KeptAttachment extends Attached {
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

export interface AttachmentProgress {
  /** Files of bytes read so far. */
  readonly checked: number;
  readonly of: number;
  /** So far, of those without a record: how many wait for one, and how many more are in the trash. */
  readonly waiting: number;
  readonly trashed: number;
  /** What was found since the last report. */
  readonly findings: readonly AttachmentFinding[];
}

export interface AttachmentFinding {
  /**
   * `orphan`: no record refers to the bytes, and no sweep has taken them; `missing`: they are not there; `trashed`: they
   * are in the trash alone, from which the next sweep takes them back; `size`, `digest`: they are not what was kept.
   */
  readonly is: 'orphan' | 'missing' | 'trashed' | 'size' | 'digest';
  /** The digest by which the bytes are kept, or the name of a file that is not one. */
  readonly digest: string;
  /** Who refers to them: `Type/id/_history/version`. */
  readonly records: readonly string[];
}

export interface WriteOptions {
  /**
   * `all`: all changes or none (the default). `each`: one by one, in any order but for changes of the same resource; where one
   * throws, others may be done: for what may be repeated, such as a load. A store may do all or none here too.
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
 * `unchanged`: the text is the same, so no version was made (or nothing was there to remove). `matched`: the resource that
 * a `no-match` found.
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

export interface PendingIndex {
  readonly type: string;
  readonly param: string;
  readonly done: number;
  readonly of: number;
}

export interface IndexAdmin {
  status(): Promise<readonly IndexState[]>;
  /**
   * Recomputes entries of a partition (all of it, or one type) and reports what differs, and which records cannot be
   * compared.
   */
  verify(partition: string, type?: string): AsyncIterable<VerifyProgress>;
  /** Marks as pending and rebuilds (all, or one type, or one parameter), yielding progress until done. */
  rebuild(partition: string, type?: string, param?: string): AsyncIterable<PendingIndex>;
  /** The indexes of the database below that are not as the definitions want them; none for a store that makes its own. */
  database(): Promise<readonly DatabaseIndex[]>;
  /** Drops those that the definitions do not need any more; gives their names. */
  dropUnused(): Promise<readonly string[]>;
}

export interface DatabaseIndex {
  readonly collection: string;
  readonly name: string;
  /** `missing` and `building`: searches that need it are slow until a server has built it. */
  readonly state: 'missing' | 'building' | 'unused';
}

export interface IndexState {
  readonly partition: string;
  readonly type: string;
  readonly param: string;
  readonly state: 'ready' | 'pending';
  readonly done: number;
  readonly of: number;
}

export interface VerifyProgress {
  readonly type: string;
  readonly checked: number;
  readonly of: number;
  /** What differs, one finding a resource and parameter. */
  readonly findings: readonly StoreFinding[];
}

export interface DocumentStore {
  get(key: string): Promise<unknown>;
  /** `expires` in milliseconds since 1970 UTC; undefined never. */
  put(key: string, value: unknown, expires?: number): Promise<void>;
  /** Stores only where the key is free; answers what is there afterwards. */
  putIfAbsent(key: string, value: unknown, expires?: number): Promise<unknown>;
  delete(key: string): Promise<void>;
  /** What is there, in the order of the keys' characters, behind the key `after`; in parts, so that it may be of several moments. */
  list(after?: string): AsyncIterable<{ readonly key: string; readonly value: unknown }>;
}

/** A precondition did not hold. */
export class VersionConflict extends Error {
  readonly type: string;
  readonly id: string;
  constructor(type: string, id: string) {
    super(`${type}/${id} is not at the version that the change expects`);
    this.name = 'VersionConflict';
    this.type = type;
    this.id = id;
  }
}

/** A `no-match` found more than one: told to clients as 412 `multiple-matches`. */
export class SeveralMatch extends Error {
  readonly type: string;
  constructor(type: string) {
    super(`Several ${type} match`);
    this.name = 'SeveralMatch';
    this.type = type;
  }
}

/** The key of a write was used with another body. */
export class KeyUsed extends Error {
  constructor() {
    super('The key was used with another body');
    this.name = 'KeyUsed';
  }
}

/** A change refers to bytes that are not kept (any more): put them again. */
export class AttachmentMissing extends Error {
  readonly digest: string;
  constructor(digest: string) {
    super(`The bytes ${digest} are not kept`);
    this.name = 'AttachmentMissing';
    this.digest = digest;
  }
}

/** The work was not bounded beforehand and ran past its deadline: told to clients as 403 `too-costly`. */
export class DeadlinePassed extends Error {
  constructor(milliseconds: number) {
    super(`The statement was stopped after ${milliseconds} ms`);
    this.name = 'DeadlinePassed';
  }
}

/** No index has the order that is asked for, and more match than are sorted without one: told to clients as 403 `too-costly`. */
export class TooManyToSort extends Error {
  readonly most: number;
  constructor(most: number) {
    super(`More than ${most} match, in an order that no index has`);
    this.name = 'TooManyToSort';
    this.most = most;
  }
}

/** Others took so long that the work could not begin: told to clients as 503 `throttled`. */
export class StoreBusy extends Error {
  constructor(milliseconds: number) {
    super(`The statement waited ${milliseconds} ms for its turn`);
    this.name = 'StoreBusy';
  }
}

/** A search needs an index that is not complete (see `Partition.pending`): told to clients as 503 `incomplete`. */
export class IndexPending extends Error {
  readonly type: string;
  readonly param: string;
  constructor(type: string, param: string) {
    super(`The index of ${type} \`${param}\` is not complete yet`);
    this.name = 'IndexPending';
    this.type = type;
    this.param = param;
  }
}

/** The longest text of a record, in bytes of UTF-8, that a store takes (record-length.ts). */
export const longestRecord = 8 * 1024 * 1024;

/** A record is longer than a store takes: told to clients as 413 `too-long`. */
export class RecordTooLarge extends Error {
  readonly type: string;
  readonly id: string;
  constructor(type: string, id: string) {
    super(`${type}/${id} is longer than the ${longestRecord} bytes that a record may have`);
    this.name = 'RecordTooLarge';
    this.type = type;
    this.id = id;
  }
}

/** The write needs a promise that the store lacks (see `Store.lacks`): told to clients as 501 `not-supported`. */
export class PromiseLacking extends Error {
  readonly lack: Lack;
  constructor(lack: Lack) {
    super(lack.why);
    this.name = 'PromiseLacking';
    this.lack = lack;
  }
}

/**
 * Why a store does not do what it is asked: it cannot be reached or cannot write (`no-store`), does not answer within the time
 * that is set (`timeout`), is hindered for a moment (`transient`), or cannot read what this request needs (`exception`).
 * Codes of https://hl7.org/fhir/R4/valueset-issue-type.html
 */
export type UnavailableReason = 'no-store' | 'timeout' | 'transient' | 'exception';

/**
 * The store fails, with the cause and the way out as a message for operators. What was being written may have been done or
 * not. Clients get 503 with the reason as issue code.
 */
export class StoreUnavailable extends Error {
  readonly reason: UnavailableReason;
  constructor(reason: UnavailableReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.reason = reason;
  }
}

/** Another partition has this id with other settings. */
export class PartitionExists extends Error {
  constructor(id: string) {
    super(`The partition \`${id}\` exists with other settings`);
    this.name = 'PartitionExists';
  }
}

/** The store cannot be opened, with what to do about it: a newer layout, a second server, other definitions. */
export class StoreRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StoreRefused';
  }
}
