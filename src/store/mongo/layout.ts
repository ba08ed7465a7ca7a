import type { Attached } from '../blobs.ts';
import type { WriteOutcome } from '../records.ts';

/**
 * What the collections hold. A type has a collection of its name with one document for each current resource: its exact text
 * and all its index entries in one document, so that both change in one step. `p` is the key of a partition: it begins every
 * `_id` and every term, so that the arrays lead their indexes and each condition may drive a scan.
 */
export interface ResourceDocument {
  /** `{p}/{id}` */
  readonly _id: string;
  readonly p: string;
  /** Four hex digits that follow from the owner: where the resource lies on a sharded cluster. */
  readonly b: string;
  readonly version: number;
  /** Milliseconds since 1970 UTC. */
  readonly updated: number;
  /** Digest of the definitions that made the entries. */
  readonly made: string;
  /** The exact JSON text; absent in a tombstone, whose arrays are empty. */
  readonly text?: string;
  /** `{p}|*`, then `{p}|{param}|{term}`: tokens, references, URIs, exact strings, pairs, parts of composites. */
  readonly t: readonly string[];
  /** `{p}|{param}|{folded}`: strings. */
  readonly s: readonly string[];
  /** Dates. `k` (names.ts) tells those apart that are wider than a day and a bit. */
  readonly d: readonly IntervalEntry[];
  /** Numbers and quantities, by unit. */
  readonly n: readonly IntervalEntry[];
  /** Tuples of composites, whole. */
  readonly c: readonly TupleEntry[];
  /** Sort keys by parameter: a text that orders like the value, and the id behind it (order-key.ts). */
  readonly o: Readonly<Record<string, string>>;
  /** Whom it belongs to, as store/owners.ts prints them; absent in a tombstone, and from before layout 3. */
  readonly owners?: string;
  /** What the version carries. */
  readonly attached?: readonly Attached[];
  /** `_id` of the reservation under which this version was written. */
  readonly by?: string;
  /**
   * Of the version (store/record-digest.ts); absent where an engine of layout 1 wrote it and no server has filled it in
   * yet.
   */
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

/** The fields that a search looks at. */
export type IndexFields = Pick<ResourceDocument, 't' | 's' | 'd' | 'n' | 'c' | 'o'>;

/** An older version, in `{Type}.history`. */
export interface HistoryDocument {
  /** `{p}/{id}/{version, ten digits}` */
  readonly _id: string;
  readonly p: string;
  readonly b: string;
  readonly version: number;
  readonly updated: number;
  readonly text?: string;
  readonly owners?: string;
  readonly attached?: readonly Attached[];
  readonly by?: string;
  readonly digest?: string;
}

/** `partitions`: the key is never used again, so that what a removal has not deleted yet is nobody's. */
export interface PartitionDocument {
  /** The id. */
  readonly _id: string;
  readonly key: string;
  readonly zone: string;
}

/** `removals`: partitions whose records are being deleted. */
export interface RemovalDocument {
  /** The key. */
  readonly _id: string;
  /** When the removal began, by the clock of the database: others may write there for a moment longer. */
  readonly since: Date;
}

/** `parameters`: the state of each index of a type in a partition. */
export interface ParameterDocument {
  /** `{p}/{type}/{code}` */
  readonly _id: string;
  readonly digest: string;
  readonly state: 'ready' | 'pending';
  /** The id up to which a pending one is filled, and how many resources that were. */
  readonly after: string;
  readonly done: number;
  /** Where entries are made again that follow the definitions already: somebody asked for it. */
  readonly anew?: true;
}

/** `servers`: who works on the store now. */
export interface ServerDocument {
  readonly _id: string;
  readonly mode: 'serve' | 'command';
  readonly definitions: string;
  /** The layout that it writes; absent for 1. */
  readonly layout?: number;
  readonly host: string;
  readonly pid: number;
  /** When it last said that it is there, by the clock of the database. */
  readonly seen: Date;
}

/** `reservations`: what makes keyed and conditional writes one. */
export interface ReservationDocument {
  /** Digest of partition, kind, and the key or the type and criteria. */
  readonly _id: string;
  readonly p: string;
  /** The key of a keyed write as it was given, so that it can be copied to another store; absent for criteria. */
  readonly key?: string;
  readonly body: string;
  /** The id that the record will get. */
  readonly id: string;
  /** Of what type it is, where it is a keyed write. */
  readonly type?: string;
  /** Where it is done: the results. */
  readonly results?: readonly { outcome: WriteOutcome; id: string; version: number; lastUpdated: number }[];
  /** Milliseconds since 1970 UTC. */
  readonly expires: number;
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

/** `audit`: a line of a chain (audit/log/line.ts), with what events are asked for by; `_id` is `{chain}/{n, 12 digits}`. */
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

/** `ids`: where the resources of a type with owners lie on a sharded cluster; `_id` is `{p}/{type}/{id}`. */
export interface PlaceDocument {
  readonly _id: string;
  readonly b: string;
}

/**
 * `meta`: `layout` with its number, `definitions` with the digest that writes follow, `partitions` with the last key, `bucketKey`
 * with which owners are digested, `digests` with how far versions have got theirs (digest-fill.ts), `upgrade` until the upgrade
 * from that layout is finished (upgrade.ts).
 */
export interface MetaDocument {
  readonly _id: string;
  readonly value: string | number;
}
