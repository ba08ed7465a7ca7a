import { FileWatch } from '../files/condition.ts';
import type { Failure } from '../files/failures.ts';
import type { StoreTimes } from '../port/store.ts';
import { Checkpoints } from './checkpoint.ts';
import { failureOf } from './failures.ts';
import type { JobResult, SubmittedJob, WriterData } from './jobs.ts';
import { type Database, openDatabase } from './open.ts';
import { runTogether } from './run-jobs.ts';

interface Open {
  readonly database: Database;
  readonly checkpoints: Checkpoints;
}

/**
 * The write connection: opened with the first job, and opened again after the file has failed, so that it does not rely
 * on anything that was read or written then.
 */
export class WriterConnection {
  readonly #data: WriterData;
  readonly #watch: FileWatch;
  readonly #checkpointed: (failure: Failure | undefined) => void;
  readonly #timed: StoreTimes | undefined;
  #open: Open | undefined;

  /** `checkpointed` receives the failure of a checkpoint, and undefined when one works; `timed` how long one took. */
  constructor(data: WriterData, checkpointed: (failure: Failure | undefined) => void, timed?: StoreTimes) {
    this.#timed = timed;
    this.#data = data;
    this.#watch = new FileWatch(data.files);
    this.#checkpointed = checkpointed;
  }

  /** Commits jobs together. Nothing is written, or counts as written, in a file that was removed or replaced. */
  commit(asked: readonly SubmittedJob[]): readonly JobResult[] {
    const lost = this.#open === undefined ? this.#lost() : undefined;
    if (lost !== undefined) return asked.map(() => lost);
    const results = this.#run(asked);
    const lostMeanwhile = this.#lost();
    return lostMeanwhile === undefined ? results : asked.map(() => lostMeanwhile);
  }

  /** The work after the answers are sent. */
  afterCommit(results: readonly JobResult[]): void {
    if (results.some(isBroken)) this.#leave();
    else this.#open?.checkpoints.afterCommit();
  }

  close(): void {
    this.#open?.checkpoints.atEnd();
    this.#leave();
  }

  #run(asked: readonly SubmittedJob[]): readonly JobResult[] {
    try {
      this.#open ??= this.#connect();
      return runTogether(this.#open.database, asked, this.#data);
    } catch (error) {
      const failure = failureOf(error, 'write', this.#data.path);
      return asked.map(() => ({ kind: 'failed', failure, error }));
    }
  }

  #connect(): Open {
    const { path, mode } = this.#data;
    const database = openDatabase(path, 'write', undefined, mode);
    return { database, checkpoints: new Checkpoints(database, path, this.#checkpointed, this.#timed) };
  }

  #leave(): void {
    const { database, checkpoints } = this.#open ?? {};
    this.#open = undefined;
    checkpoints?.stop();
    try {
      database?.close();
    } catch {} // what failed is known already
  }

  #lost(): JobResult | undefined {
    const failure = this.#watch.failure();
    return failure === undefined ? undefined : { kind: 'failed', failure, error: undefined };
  }
}

/** Whether the file has failed; a lock of another process does not break the connection. */
const isBroken = (result: JobResult): boolean =>
  result.kind === 'failed' && result.failure !== undefined && result.failure.reason !== 'transient';
