import { Worker } from 'node:worker_threads';
import { threadArguments } from '../../limits/exec-arguments.ts';
import type { Condition } from '../files/condition.ts';
import { unavailable } from '../files/failures.ts';
import { StoreUnavailable } from '../port/errors.ts';
import type { StoreOptions } from '../port/store.ts';
import type { WriteRelay } from '../server/relay.ts';
import { createBackgroundReport } from '../upkeep/chores.ts';
import { printJob } from './job-text.ts';
import type { JobResult, SentJob, SentPart, SubmittedJob, WriterData, WriterMessage, WriterRequest } from './jobs.ts';

/** The writer of a process that another one commits for. */
export class RelayedWriter implements JobWriter {
  readonly #relay: WriteRelay;
  #waiting = 0;
  #closed = false;

  constructor(relay: WriteRelay) {
    this.#relay = relay;
  }

  get waiting(): number {
    return this.#waiting;
  }

  async submit(asked: SubmittedJob): Promise<Exclude<JobResult, { kind: 'failed' }>> {
    if (this.#closed) throw new Error('The store is closed');
    // The process that writes brings definitions; this one follows them.
    if (asked.job.kind === 'register') return { kind: 'refused', message: othersApply };
    this.#waiting += 1;
    try {
      const isOfRecords = asked.job.kind === 'write';
      return requireDone((await this.#relay.commit(printJob(asked), isOfRecords)) as JobResult); // of writer.ts
    } finally {
      this.#waiting -= 1;
    }
  }

  async hold(part: SentPart): Promise<void> {
    requireDone((await this.#relay.commit(part, false)) as JobResult); // of writer.ts
  }

  problems(): Promise<readonly string[]> {
    return this.#relay.problems();
  }

  async close(): Promise<void> {
    this.#closed = true; // the callers of all jobs have been awaited
  }
}

const othersApply = 'Other definitions apply to this store, which this process could not load yet';

/** Commits jobs: in a thread of this process, or in the process that writes (`RelayedWriter`). */
export interface JobWriter {
  /** Jobs without an answer. */
  readonly waiting: number;
  /**
   * Resolves when the job is committed and durable, or was not done. Throws `StoreUnavailable` if the file fails or the
   * writer dies: then the job may have been done.
   */
  submit(asked: SubmittedJob): Promise<Exclude<JobResult, { kind: 'failed' }>>;
  /** Sends a part of a job that is submitted later, which names it. Throws as `submit`. */
  hold(part: SentPart): Promise<void>;
  /** Problems that this process does not know itself. */
  problems(): Promise<readonly string[]>;
  /** Completes waiting jobs. */
  close(): Promise<void>;
}

/** Its jobs are garbage soon: a young generation of the usual 96 MB would only take memory. */
const resourceLimits = { maxYoungGenerationSizeMb: 12 } as const;

interface Waiting {
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker thread, and its unanswered jobs. */
interface Running {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
}

/** The writer: a worker thread, started with the first job, and again with the next job after one has died. */
export class Writer implements JobWriter {
  readonly #data: Omit<WriterData, 'timed'>;
  readonly #condition: Condition;
  readonly #beside: ReturnType<typeof createBackgroundReport>;
  readonly #timed: StoreOptions['timed'];
  #running: Running | undefined;
  #number = 0;
  #closed = false;

  /** Background failures and times are reported as the options say. */
  constructor(
    data: Omit<WriterData, 'timed'>,
    condition: Condition,
    { fault, timed }: Pick<StoreOptions, 'fault' | 'timed'> = {},
  ) {
    this.#data = data;
    this.#condition = condition;
    this.#beside = createBackgroundReport(fault);
    this.#timed = timed;
  }

  /** Jobs without an answer. */
  get waiting(): number {
    return this.#running?.waiting.size ?? 0;
  }

  // Neither this nor `commit` is an async function, which would keep the text of the job until its result is there.
  submit(asked: SubmittedJob): Promise<Exclude<JobResult, { kind: 'failed' }>> {
    return this.commit(printJob(asked)).then(requireDone);
  }

  async hold(part: SentPart): Promise<void> {
    requireDone(await this.commit(part));
  }

  /** Commits a job, also one of another process. Throws like `submit`, but the result may be a failure. */
  commit(job: SentJob): Promise<JobResult> {
    if (this.#closed) return Promise.reject(new Error('The store is closed'));
    return this.#send(job).then(result => this.#noted(result));
  }

  #noted(result: JobResult): JobResult {
    if (result.kind !== 'failed') this.#condition.written();
    else if (result.failure !== undefined) this.#condition.writeFailed(result.failure);
    return result;
  }

  async problems(): Promise<readonly string[]> {
    return [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    if (running === undefined) return;
    await this.#send(undefined).catch(() => undefined); // callers of waiting jobs have its error
    await running.worker.terminate();
  }

  #send(job: WriterRequest['job']): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const { worker, waiting } = (this.#running ??= this.#start());
      this.#number += 1;
      waiting.set(this.#number, { resolve, reject });
      send(worker, { number: this.#number, job });
    });
  }

  #start(): Running {
    const data: WriterData = { ...this.#data, timed: this.#timed !== undefined };
    const options = { workerData: data, resourceLimits, execArgv: threadArguments };
    const worker = new Worker(new URL('./writer-worker.ts', import.meta.url), options);
    const running: Running = { worker, waiting: new Map() };
    worker.on('message', (message: WriterMessage) => this.#take(running, message));
    worker.on('error', error => this.#lose(running, error));
    worker.on('exit', () => this.#lose(running, undefined));
    return running;
  }

  #take({ waiting }: Running, message: WriterMessage): void {
    switch (message.kind) {
      case 'results':
        for (const [at, number] of message.numbers.entries()) {
          const result = message.results[at];
          if (result !== undefined) waiting.get(number)?.resolve(result);
          waiting.delete(number);
        }
        break;
      case 'timed':
        this.#timed?.(message.step, message.milliseconds);
        break;
      case 'checkpoint':
        this.#condition.checkpoint(message.failure);
        if (message.failure === undefined) this.#beside.worked();
        else this.#beside.failed(unavailable(message.failure));
        break;
      default:
        message satisfies never;
    }
  }

  #lose(running: Running, cause: unknown): void {
    if (this.#running === running) this.#running = undefined;
    for (const { reject } of running.waiting.values()) reject(ended(cause));
    running.waiting.clear();
  }
}

/** Throws the error of a failed job. */
export function requireDone(result: JobResult): Exclude<JobResult, { kind: 'failed' }> {
  if (result.kind !== 'failed') return result;
  const { failure, error } = result;
  if (failure === undefined) throw new Error('The store could not write', { cause: error });
  throw unavailable(failure, error);
}

const ended = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable('transient', 'The thread that writes has ended. It starts again with the next write.', cause);

/** What is not copied: the sender does not need it any more. */
function transferred({ job }: WriterRequest): ArrayBuffer[] {
  const changes = typeof job === 'object' && 'part' in job ? job.changes : undefined;
  return changes instanceof Uint8Array ? [changes.buffer] : [];
}

function send(worker: Worker, request: WriterRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage(request, transferred(request));
}
