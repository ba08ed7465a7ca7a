import type { Binary } from 'mongodb';
import type { Attached } from '../port/blobs.ts';
import type { RecordKey, WriteOutcome } from '../port/records.ts';

/**
 * The content of the collections. A type has a collection of its name with one document per current resource: its exact
 * text and all its index entries in one document, so that both change atomically. `p` is the key of a partition: it
 * begins every `_id` and every term, so that the arrays lead their indexes and each condition may drive a scan.
 */
export interface ResourceDocument {
  /** `{p}/{id}` */
  readonly _id: string;
  readonly p: string;
  /** Four hex digits derived from the owner: they decide the shard of the resource on a sharded cluster. */
  readonly b: string;
  readonly version: number;
  /** Milliseconds since 1970 UTC. */
  readonly updated: number;
  /** Digest of the definitions of the entries. */
  readonly made: string;
  /** The exact JSON text; absent in a tombstone, whose arrays are empty. */
  readonly text?: string;
  /** `{p}|*`, then `{p}|{param}|{term}`: tokens, references, URIs, exact strings, pairs, parts of composites. */
  readonly t: readonly string[];
  /** `{p}|{param}|{folded}`: strings. */
  readonly s: readonly string[];
  /** `{p}|{param}|` and the words of full-text search in sequence, for phrases; absent if there are none. */
  readonly w?: readonly string[];
  /** Dates. `k` (names.ts) separates those that are wider than a day and a bit. */
  readonly d: readonly IntervalEntry[];
  /** Numbers and quantities, by unit. */
  readonly n: readonly IntervalEntry[];
  /** Tuples of composites, whole. */
  readonly c: readonly TupleEntry[];
  /** Sort keys by parameter: a text that sorts like the value, followed by the id (order-key.ts). */
  readonly o: Readonly<Record<string, string>>;
  /** The owners, as store/keys/owners.ts prints them; absent in a tombstone. */
  readonly owners?: string;
  /** The attachments of the version. */
  readonly attached?: readonly Attached[];
  /** The digest of the version (store/record/digest.ts); absent only if the document was damaged. */
  readonly digest?: string;
}

export interface IntervalEntry {
  readonly k: string;
  readonly lo: number;
  readonly hi: number;
}

export interface TupleEntry {
  /** `{p}|{param}|` */
  readonly k: string;
  /** The parts by the number of their component, from `c0` on. */
  readonly [component: `c${number}`]: TuplePart | undefined;
}

export interface TuplePart {
  readonly t?: readonly string[];
  readonly s?: readonly { readonly folded: string; readonly text: string }[];
  readonly n?: readonly IntervalEntry[];
}

/** The search fields. */
export type IndexFields = Pick<ResourceDocument, 't' | 's' | 'w' | 'd' | 'n' | 'c' | 'o'>;

/** An older version, in `{Type}.history`; its `_id` is `{p}/{id}/{version, ten digits}`. */
export type HistoryDocument = Pick<
  ResourceDocument,
  '_id' | 'p' | 'b' | 'version' | 'updated' | 'text' | 'owners' | 'attached' | 'digest'
>;

/**
 * `partitions`: the key is never used again, so that data that a removal has not deleted yet belongs to no partition.
 */
export interface PartitionDocument {
  /** The id. */
  readonly _id: string;
  readonly key: string;
  readonly zone: string;
  /** The number of committed changes of records that are definitions; absent if there was none. */
  readonly changes?: number;
  /** The last records that were changed as definitions. */
  readonly last?: readonly RecordKey[];
}

/** `removals`: partitions whose records are being deleted. */
export interface RemovalDocument {
  /** The key. */
  readonly _id: string;
  /** When the removal began, by the clock of the database: other processes may write for a moment longer. */
  readonly since: Date;
}

/** `parameters`: the state of each index of a type in a partition. */
export interface ParameterDocument {
  /** `{p}/{type}/{code}` */
  readonly _id: string;
  readonly digest: string;
  readonly state: 'ready' | 'pending';
  /** The id up to which a pending one is filled, and the number of resources up to there. */
  readonly after: string;
  readonly done: number;
  /** Set if entries that follow the definitions already are rebuilt on request. */
  readonly anew?: true;
}

/** `servers`: the processes that use the store now. */
export interface ServerDocument {
  readonly _id: string;
  readonly mode: 'serve' | 'command';
  readonly definitions: string;
  readonly host: string;
  readonly pid: number;
  /** Its last heartbeat, by the clock of the database. */
  readonly seen: Date;
  /** Its answers to the last moments of partitions, by key (moments.ts). */
  readonly moments?: Readonly<Record<string, { readonly moment: number; readonly latest: number } | undefined>>;
  /** Ids of its sessions that have or had transactions. */
  readonly sessions?: readonly Binary[];
}

/** `reservations`: make keyed and conditional writes unique. */
export interface ReservationDocument {
  /** Digest of partition, kind, and the key or the type and criteria. */
  readonly _id: string;
  readonly p: string;
  /** The key of a keyed write as given, so that it can be copied to another store; absent for criteria. */
  readonly key?: string;
  readonly body: string;
  /** The id of the first record. */
  readonly id: string;
  /** The results, if it is done. */
  readonly results?: readonly { outcome: WriteOutcome; id: string; version: number; lastUpdated: number }[];
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
}

/** `usedTypes`: `_id` is `{p}/{type}`: the partition may have records of the type; it has none of other types. */
export interface UsedTypeDocument {
  readonly _id: string;
}

/** `marks`: `_id` is `{p}/{key}`. */
export interface MarkDocument {
  readonly _id: string;
  readonly value: string;
}

/** `documents`: `_id` is `{collection}/{key}`; the value is JSON text. */
export interface SmallDocument {
  readonly _id: string;
  readonly collection: string;
  readonly value: string;
  readonly expires?: number;
}

/**
 * `audit`: a line of a chain (store/audit/line.ts), with the keys by which events are searched; `_id` is
 * `{chain}/{n, 12 digits}`.
 */
export interface AuditDocument {
  readonly _id: string;
  readonly chain: string;
  readonly n: number;
  readonly line: string;
  readonly at?: number;
  readonly partition?: string;
  readonly client?: string;
  readonly patients?: readonly string[];
}

/** `ids`: the shards of the resources of a type with owners on a sharded cluster; `_id` is `{p}/{type}/{id}`. */
export interface PlaceDocument {
  readonly _id: string;
  readonly b: string;
}

/**
 * `meta`: `layout` with its number, `definitions` with the digest that writes follow, `partitions` with the last key,
 * `moment:{p}` with the last moment of a partition, `bucketKey` with the key of owners' digests.
 */
export interface MetaDocument {
  readonly _id: string;
  readonly value: string | number;
}
