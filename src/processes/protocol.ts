import type { Refusal } from '../audit/refusal.ts';
import type { Config } from '../config/read.ts';
import type { Dispensable } from '../http/connection/connections.ts';
import type { MetricsOfProcess } from '../observability/prometheus.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { SentError } from './sent-error.ts';

/** What a child needs to start. */
export interface ChildStart {
  readonly config: Config;
  /** The base of absolute URLs. */
  readonly url: string;
  readonly demo: boolean;
  /** The digest of the definitions to answer by, which are in the store. */
  readonly digest: string;
  readonly isAudited: boolean;
}

/** A prepared write, like in `WriteRelay`. */
export type WrittenJob = readonly [job: unknown, isOfRecords: boolean];

export interface WriteAnswer {
  /** Why the events could not be appended. */
  readonly failed?: UnavailableReason | undefined;
  /** What became of each job. */
  readonly jobs: readonly JobAnswer[];
}

/** `refused`: the events before it could not be appended. */
export type JobAnswer =
  | { readonly kind: 'done'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: SentError }
  | { readonly kind: 'refused'; readonly reason: UnavailableReason };

/** The functions of the parent. A share is that of http/connection/client-address.ts. */
export type ParentCalls = {
  /**
   * Appends printed audit events, one a line, and when these are durable, commits prepared writes
   * (store/server/relay.ts). Where a failing log refuses writes, it commits none of records then.
   */
  readonly write: (lines: string, jobs: readonly WrittenJob[]) => Promise<WriteAnswer>;
  readonly problems: () => Promise<readonly string[]>;
  readonly failed: (doing: 'read' | 'write', summary: string) => void;
  /** An unauthenticated caller was refused. */
  readonly refused: (refusal: Refusal) => void;
  /** The child has the connection that was passed with this number. */
  readonly accepted: (number: number) => void;
  /** A connection has ended. */
  readonly closed: (share: string | undefined) => void;
  /** The last values of a child that ends in order. */
  readonly measured: (metrics: MetricsOfProcess) => void;
  /** The child ends after an error: it takes no more connections. */
  readonly leaving: () => void;
};

/** The functions of a child. */
export type ChildCalls = {
  /** Resolves when it can answer requests. */
  readonly start: (start: ChildStart) => Promise<void>;
  /** Resolves when new requests follow the definitions that apply in the store; rejects if they cannot. */
  readonly follow: () => Promise<void>;
  /** Reads its files again; resolves with sentences for the operator. */
  readonly reload: (what: 'certificate' | 'accounts') => Promise<readonly string[]>;
  /** Undefined if nothing is measured. */
  readonly metrics: () => Promise<MetricsOfProcess | undefined>;
  /** Why audit events of any child cannot be stored; undefined if they can. */
  readonly auditFailing: (reason: UnavailableReason | undefined) => void;
  /** Closes such a connection; false if there is none. */
  readonly makeWay: (share: string | undefined, which: Dispensable) => boolean;
  /** Completes the running requests, and ends. Idle connections are closed after `patience` milliseconds. */
  readonly close: (patience: number) => void;
};

/** The message with which a connection is passed to a child. */
export interface Passed {
  readonly connection: { readonly share: string | undefined; readonly number: number };
}
