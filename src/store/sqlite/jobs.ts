import type { WatchedFiles } from '../files/condition.ts';
import type { Failure } from '../files/failures.ts';
import type { DueBytes } from '../files/sweep.ts';
import type { Attached } from '../port/blobs.ts';
import type { Mark, RecordKey, VersionPrecondition, WriteKey, WriteOutcome } from '../port/records.ts';
import type { KeptVersion, Note } from '../port/transfer.ts';
import type { WantedPartition, WantedType } from './declared-indexes.ts';
import type { Clause } from './lower.ts';
import type { Rows } from './rows.ts';
import type { SqlValue } from './sql.ts';

/** Thrown inside the savepoint of a job, to undo it. */
export class JobStopped extends Error {
  readonly result: JobResult;
  constructor(result: JobResult) {
    super(result.kind);
    this.result = result;
  }
}

/** The jobs of the writer worker: values only. Jobs that wait together are committed together. */
export type Job =
  | WriteJob
  | RestoreJob
  | NotesJob
  | RebuildJob
  | { readonly kind: 'register'; readonly epoch: number; readonly partitions: readonly WantedPartition[] }
  | {
      readonly kind: 'addPartition';
      readonly id: string;
      readonly settings: string;
      readonly types: readonly WantedType[];
    }
  | { readonly kind: 'hidePartition'; readonly id: string }
  /** Makes the indexes of the parameters that are records of a partition those of `types`. */
  | { readonly kind: 'define'; readonly epoch: number; readonly n: number; readonly types: readonly WantedType[] }
  /** Ends a moment of a partition: later commits have a later lastUpdated than the result. */
  | { readonly kind: 'moment'; readonly n: number; readonly now: number }
  /** Rebuilds matching indexes: `codes` undefined means all. */
  | { readonly kind: 'restart'; readonly t: number; readonly codes: readonly string[] | undefined }
  /** Deletes some obsolete rows; the result says whether there may be more. */
  | { readonly kind: 'sweep'; readonly now: number }
  /** Merges some words of full-text search; the result says whether there may be more. */
  | { readonly kind: 'mergeWords' }
  /** Moves unreferenced attachments to the trash, and deletes old ones there. */
  | { readonly kind: 'sweepBytes'; readonly due: DueBytes }
  | {
      readonly kind: 'document';
      readonly how: 'put' | 'putIfAbsent' | 'replace' | 'delete';
      readonly collection: string;
      readonly key: string;
      readonly value: string;
      /** The JSON that is replaced. */
      readonly replaces?: string;
      readonly expires: number | null;
      readonly now: number;
    };

/** Changes of one partition, prepared from reads at this epoch. */
export interface WriteJob {
  readonly kind: 'write';
  readonly n: number;
  readonly epoch: number;
  readonly now: number;
  /** The changes after those of the parts that were sent before. */
  readonly changes: readonly PreparedChange[];
  /** The name of these parts; undefined for none. */
  readonly parts: string | undefined;
  /** Decided before the changes. */
  readonly requires: readonly PreparedRequirement[];
  readonly mark: Mark | undefined;
  readonly key: WriteKey | undefined;
  /** The changes of records that are definitions: their places among all changes, and their types. */
  readonly defines: readonly (readonly [at: number, type: string])[];
}

export type PreparedRequirement = { readonly t: number; readonly type: string } & (
  { readonly is: 'there'; readonly id: string } | NoMatch | Unreferred
);

export interface PreparedChange {
  readonly t: number;
  readonly type: string;
  readonly id: string;
  /** The version that existed when the change was prepared; 0 for none. */
  readonly expected: number;
  /** Undefined removes. */
  readonly text: { readonly before: string; readonly after: string } | undefined;
  /** The text equals the stored one. */
  readonly same: boolean;
  /** Undefined: that of the current version, or lastUpdated of a record that is created. */
  readonly ord: number | undefined;
  readonly added: Rows | undefined;
  readonly removed: Rows | undefined;
  /** The owners of the new version, as store/keys/owners.ts prints them; null for a tombstone. */
  readonly owners: string | null;
  readonly precondition: VersionPrecondition | NoMatch | undefined;
  /** Undefined: the attachments of the version before. */
  readonly attachments: readonly Attached[] | undefined;
}

/**
 * A `no-match` that was searched in advance. The write then checks only the found resources and later changes, so that
 * no transaction is long: every change has a later lastUpdated than all commits before it.
 */
export interface NoMatch {
  readonly is: 'no-match';
  readonly clause: Clause;
  /** lastUpdated of the partition before the search. */
  readonly since: number;
  /** Ids that matched then: all of them, or two. */
  readonly found: readonly string[];
  /** The terms with which the clause was lowered. */
  readonly terms: readonly { readonly p: number; readonly prefix: string; readonly values: readonly string[] }[];
}

/** That no record refers to some others: no index has one of these terms, except of the records with these keys. */
export interface Unreferred {
  readonly is: 'unreferred';
  readonly references: readonly { readonly indexes: readonly number[]; readonly terms: readonly string[] }[];
  readonly except: readonly (readonly [t: number, id: string])[];
}

/** Versions of one partition as another store had them, prepared from reads at this epoch. */
export interface RestoreJob {
  readonly kind: 'restore';
  readonly n: number;
  readonly epoch: number;
  readonly resources: readonly PreparedRestore[];
  readonly mark: Mark | undefined;
  /** The records that are definitions. */
  readonly defines: readonly RecordKey[];
}

export interface PreparedRestore {
  /** 0: nothing of the type is stored yet. */
  readonly t: number;
  readonly type: string;
  readonly id: string;
  readonly declared: boolean;
  /** The version that existed when this was prepared; 0 for none. */
  readonly expected: number;
  /** The missing ones, in order. */
  readonly versions: readonly KeptVersion[];
  /** `ord` of the last version, if it becomes current and is not a tombstone. */
  readonly ord: number | undefined;
  readonly added: Rows | undefined;
  readonly removed: Rows | undefined;
  /** The owners of the new version, as store/keys/owners.ts prints them; null for a tombstone. */
  readonly owners: string | null;
}

/** Notes of another store, with the numbers of their partitions by id. */
export interface NotesJob {
  readonly kind: 'notes';
  readonly notes: readonly Note[];
  readonly numbers: ReadonlyMap<string, number>;
}

/** One slice of a rebuild: entries of resources as of these versions. */
export interface RebuildJob {
  readonly kind: 'rebuild';
  readonly epoch: number;
  readonly t: number;
  /** The indexes that are filled, each with its last id. */
  readonly indexes: readonly { readonly p: number; readonly after: string }[];
  readonly resources: readonly {
    readonly r: number;
    readonly id: string;
    readonly version: number;
    readonly ord: number;
    readonly rows: Rows;
    /** Undefined: unchanged. */
    readonly owners: string | undefined;
  }[];
  /** No resources follow: the indexes are complete. */
  readonly last: boolean;
}

/** The result of a job. `stale`: prepared from outdated reads; prepare it again. */
export type JobResult =
  | { readonly kind: 'written'; readonly repeated: boolean; readonly results: readonly Written[] }
  | { readonly kind: 'done'; readonly value: SqlValue }
  | { readonly kind: 'stale' }
  /** The store was last written with other definitions: register first. */
  | { readonly kind: 'unregistered' }
  | { readonly kind: 'conflict'; readonly type: string; readonly id: string }
  | { readonly kind: 'several'; readonly type: string }
  | { readonly kind: 'required'; readonly type: string }
  | { readonly kind: 'keyUsed' }
  | { readonly kind: 'bytesMissing'; readonly digest: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** Nothing of the job was done. `failure` is undefined for a bug of the engine. */
  | { readonly kind: 'failed'; readonly failure: Failure | undefined; readonly error: unknown };

/** The outcome of a change. */
export type Written = readonly [outcome: WriteOutcome, id: string, version: number, lastUpdated: number];

/** The start data of the writer. */
export interface WriterData {
  readonly path: string;
  readonly mode: 'serve' | 'command';
  /** The files with which the store was opened. */
  readonly files: WatchedFiles;
  /** Whether it reports the times of commits and checkpoints. */
  readonly timed: boolean;
}

/** A job, and the definitions with which it was prepared. */
export interface SubmittedJob {
  readonly job: Job;
  readonly definitions: string;
  /** In the thread that commits: the changes of the parts of a write, one part after the other. */
  readonly held?: () => Iterable<readonly PreparedChange[]>;
}

/** A job as it is sent to the thread that commits it: a write as JSON (job-text.ts). */
export type SentJob = SubmittedJob | string | SentPart;

/**
 * A part of a large write, which the thread that commits keeps until the job that names it comes, or for `longestHold`
 * milliseconds. So no thread ever has all of it as values.
 */
export interface SentPart {
  readonly part: string;
  /**
   * JSON, if the changes can be printed, compressed by zstd: a tenth of its size, and outside of the heap, whose
   * garbage is then collected in less time.
   */
  readonly changes: Uint8Array<ArrayBuffer> | readonly PreparedChange[];
}

export const longestHold = 120_000;

export interface WriterRequest {
  readonly number: number;
  /** Undefined ends the writer. */
  readonly job: SentJob | undefined;
}

/** Messages of the writer. */
export type WriterMessage =
  | { readonly kind: 'results'; readonly numbers: readonly number[]; readonly results: readonly JobResult[] }
  | { readonly kind: 'timed'; readonly step: 'commit' | 'checkpoint'; readonly milliseconds: number }
  /** A checkpoint has failed, or works (undefined). */
  | { readonly kind: 'checkpoint'; readonly failure: Failure | undefined };
