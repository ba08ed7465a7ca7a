import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { FhirError } from '../fhir/error.ts';
import { host, runsHere } from '../store/server/host.ts';
import type { JobFile, JobLease, JobRecord } from './job.ts';
import type { JobFolder } from './folder.ts';
import type { JobRecords } from './records.ts';

/** A kind of work that is done beside requests. */
export interface JobKind {
  /** Jobs name it; it never changes. */
  readonly name: string;
  /**
   * Does the work, from the mark of the job on, and returns its result as JSON. It ends soon after the signal, and then
   * its result does not count. A FhirError ends the job as failed; after another error it is called again, from the
   * last mark on.
   */
  run(work: JobWork): Promise<unknown>;
}

/** What a kind needs of one attempt. */
export interface JobWork {
  /** The job as it was when the attempt began: `mark` and `files` say what is done. */
  readonly job: JobRecord;
  readonly folder: JobFolder;
  /** Aborted if the job is cancelled, another process works on it, or this one ends. */
  readonly signal: AbortSignal;
  /** Stores how far the work is. What `step` says is durable must be so before. Throws once the signal is aborted. */
  readonly keep: (step: JobStep) => Promise<void>;
}

export interface JobStep {
  /** JSON. */
  readonly mark: unknown;
  readonly progress: string;
  /** All files that are complete. */
  readonly files: readonly JobFile[];
}

export interface RunnerParts {
  readonly records: JobRecords;
  readonly folder: JobFolder;
  readonly kinds: readonly JobKind[];
  /** How long a job and its files stay after its end, in milliseconds. */
  readonly keep: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly fault: (error: unknown) => void;
  /** How long the holder of a lease on another host may be silent, by the clock of who watches it; milliseconds. */
  readonly silence?: number;
}

/** How often a lease is renewed, and jobs without one are looked for, in milliseconds: a cancelled one ends so soon. */
const beatEvery = 1_000;
/** The usual silence of a process that is dead, in milliseconds. */
const usualSilence = 15_000;
/** Jobs that this process works on at a time. */
const mostAtOnce = 2;
/** Attempts without any progress, after which a job fails. */
const mostAttempts = 10;
/** The longest pause after an error, in milliseconds. */
const longestPause = 30_000;

/** The runners of this process: a lease with its number and another runner is of a process that had it before. */
const ownRunners = new Set<string>();

/**
 * Works on the jobs of a store, beside requests. Several processes and servers may do so: one works on a job at a time,
 * by a lease, and after a crash another one goes on from its mark. Deletes the files of jobs that are gone.
 */
export class JobRunner {
  readonly #parts: RunnerParts;
  readonly #id = randomUUID();
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #running = new Map<string, JobAttempt>();
  /** When the beat of a lease was first seen, by the job, on the clock of this process. */
  readonly #seen = new Map<string, { readonly beat: string; readonly at: number }>();
  readonly #ending = new AbortController();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#kinds = new Map(parts.kinds.map(kind => [kind.name, kind]));
    ownRunners.add(this.#id);
    this.#lookLater(0);
  }

  /** Looks for jobs at once: one was started. */
  wake(): void {
    this.#lookLater(0);
  }

  /** Leaves the jobs to other processes; resolves when none of them is worked on here. */
  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    for (const attempt of this.#running.values()) attempt.end();
    await this.#looking;
    await Promise.all(Array.from(this.#running.values(), ({ done }) => done));
    ownRunners.delete(this.#id);
  }

  #lookLater(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#ending.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking
        .then(() => this.#look())
        .catch(() => undefined) // requests report a store that fails
        .then(() => this.#lookLater(beatEvery));
    }, pause).unref();
  }

  /** Takes the jobs that no process works on, the oldest first, and deletes the files of those that are gone. */
  async #look(): Promise<void> {
    const { records, folder } = this.#parts;
    // Before the records: a job has a record before it has files.
    const present = await folder.jobs();
    const known = new Set<string>();
    const free: JobRecord[] = [];
    for await (const job of records.list()) {
      known.add(job.id);
      if (job.state === 'active' && this.#kinds.has(job.kind) && !this.#running.has(job.id) && this.#isFree(job))
        free.push(job);
    }
    for (const id of this.#seen.keys()) if (!known.has(id)) this.#seen.delete(id);
    for (const id of present) if (!known.has(id) && !this.#running.has(id)) await folder.remove(id);
    for (const job of free.toSorted((one, other) => one.started - other.started)) {
      if (this.#ending.signal.aborted || this.#running.size >= mostAtOnce) return;
      await this.#take(job);
    }
  }

  /**
   * Whether no process works on a job: a holder on this host lives while its process does, another one while its beat
   * changes.
   */
  #isFree({ id, lease }: JobRecord): boolean {
    if (lease === undefined) return true;
    const { runner, pid, beat } = lease;
    if (runner === this.#id) return true; // the store failed when this runner left it
    if (lease.host === host) {
      if (pid === process.pid) return !ownRunners.has(runner);
      if (!runsHere(pid)) return true;
    }
    const now = performance.now();
    const seen = this.#seen.get(id);
    if (seen?.beat === `${runner} ${beat}`) return now - seen.at > (this.#parts.silence ?? usualSilence);
    this.#seen.set(id, { beat: `${runner} ${beat}`, at: now });
    return false;
  }

  async #take(job: JobRecord): Promise<void> {
    const lease: JobLease = { runner: this.#id, host, pid: process.pid, beat: 0 };
    const attempts = job.attempts + (job.lease === undefined ? 0 : 1);
    const taken = await this.#parts.records.replace(job, { ...job, lease, attempts });
    const kind = this.#kinds.get(job.kind);
    if (taken === undefined || kind === undefined) return;
    const attempt = new JobAttempt(this.#parts, kind, taken);
    this.#running.set(job.id, attempt);
    void attempt.done.then(() => {
      this.#running.delete(job.id);
      this.#lookLater(0);
    });
  }
}

/** The work of this process on one job, with its lease. */
class JobAttempt {
  /** Resolves when the work has ended, whatever came of it. */
  readonly done: Promise<void>;
  readonly #parts: RunnerParts;
  readonly #kind: JobKind;
  readonly #signal = new AbortController();
  /** The record as this process last stored it; undefined once another one has changed or removed it. */
  #record: JobRecord | undefined;
  /** Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: RunnerParts, kind: JobKind, record: JobRecord) {
    this.#parts = parts;
    this.#kind = kind;
    this.#record = record;
    const beating = setInterval(() => void this.#beat(), beatEvery).unref();
    this.done = this.#work()
      .catch((error: unknown) => parts.fault(error))
      .finally(() => clearInterval(beating));
  }

  /** Ends the work, for another process to go on. */
  end(): void {
    this.#signal.abort();
  }

  async #work(): Promise<void> {
    const { records, folder } = this.#parts;
    const id = this.#record?.id ?? '';
    for (;;) {
      const job = this.#record;
      if (job === undefined || this.#signal.signal.aborted) break;
      if (job.attempts >= mostAttempts) {
        await this.#fail(new FhirError(500, [{ severity: 'error', code: 'exception', text: gaveUp }]));
        break;
      }
      try {
        await this.#parts.folder.requireSpace();
        const result = await this.#kind.run({
          job,
          folder,
          signal: this.#signal.signal,
          keep: step => this.#keep(step),
        });
        if (this.#signal.signal.aborted) break;
        await this.#end({ state: 'done', result, progress: 'complete' });
        break;
      } catch (error) {
        if (this.#signal.signal.aborted) break;
        if (error instanceof FhirError) {
          await this.#fail(error);
          break;
        }
        this.#parts.fault(new Error(`Work on a job failed and is repeated (${this.#kind.name})`, { cause: error }));
        await this.#change(now => ({ ...now, attempts: now.attempts + 1 })).catch(() => undefined);
        const attempts = this.#record?.attempts ?? 0;
        const pause = attempts >= mostAttempts ? 0 : Math.min(longestPause, 250 * 2 ** attempts);
        await rest(pause, undefined, { signal: this.#signal.signal }).catch(() => undefined);
      }
    }
    if (this.#record?.state === 'active')
      await this.#change(now => ({ ...now, lease: undefined })).catch(() => undefined); // its process ends
    else if (this.#record === undefined && (await records.get(id)) === undefined) await folder.remove(id);
  }

  async #fail({ status, issues }: FhirError): Promise<void> {
    const failure = { status, issues };
    if (await this.#end({ state: 'failed', failure, files: [], progress: 'failed' }))
      await this.#parts.folder.remove(this.#record?.id ?? '-');
  }

  /** Ends the job; false if it was cancelled before. */
  async #end(end: Partial<JobRecord>): Promise<boolean> {
    const { now, keep } = this.#parts;
    const ended = now();
    for (;;) {
      try {
        return await this.#change(job => ({ ...job, ...end, lease: undefined, ended, expires: ended + keep }));
      } catch (error) {
        // The work is done: only the store fails.
        this.#parts.fault(error);
        await rest(beatEvery, undefined, { signal: this.#signal.signal }).catch(() => undefined);
        if (this.#signal.signal.aborted) throw error;
      }
    }
  }

  async #keep({ mark, progress, files }: JobStep): Promise<void> {
    await this.#parts.folder.requireSpace();
    const isEnded = (): boolean => this.#signal.signal.aborted;
    if (isEnded() || !(await this.#change(job => ({ ...job, mark, progress, files, attempts: 0 }))) || isEnded())
      throw new Error('The work on a job was ended');
  }

  /** A store that fails for a moment is asked again: a runner that takes the lease over ends this work. */
  async #beat(): Promise<void> {
    await this.#change(({ lease, ...job }) => ({ ...job, lease: lease && { ...lease, beat: lease.beat + 1 } })).catch(
      () => undefined,
    );
  }

  /** Changes the record; false, and the work is ended, if another process has changed or removed it. */
  #change(make: (job: JobRecord) => JobRecord): Promise<boolean> {
    const changed = this.#changing.then(async () => {
      if (this.#record?.lease === undefined) return false;
      this.#record = await this.#replace(this.#record, this.#record.lease.runner, make);
      if (this.#record === undefined) this.#signal.abort();
      return this.#record !== undefined;
    });
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  /** The answer to a change may be lost: then the record has it already, and still our lease. */
  async #replace(
    before: JobRecord,
    runner: string,
    make: (job: JobRecord) => JobRecord,
  ): Promise<JobRecord | undefined> {
    const { records } = this.#parts;
    for (let found: JobRecord | undefined = before; found?.lease?.runner === runner;) {
      const next = await records.replace(found, make(found));
      if (next !== undefined) return next;
      found = await records.get(before.id);
    }
    return undefined;
  }
}

const gaveUp = 'The job was begun several times and never made progress. Start another one, of fewer records.';
