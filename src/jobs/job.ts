import type { Issue } from '../fhir/outcome.ts';

/** The one who started a job: a caller with other values does not find it. */
export interface JobOwner {
  readonly partition: string;
  /** The issuer of its token and the client; undefined with open access. */
  readonly issuer?: string | undefined;
  readonly client?: string | undefined;
}

/** A job as the store has it: JSON, which every process and every server of the store reads. */
export interface JobRecord {
  /** Random, so that no client can guess it. */
  readonly id: string;
  /** The name of the kind of work (runner.ts). */
  readonly kind: string;
  readonly owner: JobOwner;
  /** `new`: it waits for its place among those of its client. */
  readonly state: 'new' | 'active' | 'done' | 'failed';
  /** What is to be done, as its kind wrote it. */
  readonly task: unknown;
  /** When it was started, in milliseconds since 1970 UTC. */
  readonly started: number;
  /** How far the work is, as its kind wrote it; undefined at the beginning. Everything before it is durable. */
  readonly mark?: unknown;
  /** A short text for people, without personal data: fewer than 100 characters. */
  readonly progress: string;
  /** The files that are complete. */
  readonly files: readonly JobFile[];
  /** How often work was begun since the mark last changed, and did not end. */
  readonly attempts: number;
  readonly lease?: JobLease | undefined;
  /** What the kind returned, if it is done. */
  readonly result?: unknown;
  /** Why it failed. */
  readonly failure?: { readonly status: number; readonly issues: readonly Issue[] } | undefined;
  /** When it ended, and when it and its files are deleted, in milliseconds since 1970 UTC. */
  readonly ended?: number | undefined;
  readonly expires?: number | undefined;
}

/** A complete file of a job: it never changes. */
export interface JobFile {
  /** A file name of its kind's own making, never text of a client. */
  readonly name: string;
  readonly bytes: number;
  /** What its kind says of it. */
  readonly about: unknown;
}

/** The process that works on a job: it renews `beat` while it lives. */
export interface JobLease {
  /** Names the runner; no other one has it. */
  readonly runner: string;
  readonly host: string;
  readonly pid: number;
  readonly beat: number;
}

/** Whether work on a job may still be necessary. */
export const isUnfinished = ({ state }: JobRecord): boolean => state === 'new' || state === 'active';
