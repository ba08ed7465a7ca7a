import { Worker } from 'node:worker_threads';
import { threadArguments } from '../../limits/exec-arguments.ts';
import type { Condition } from '../files/condition.ts';
import { type Failure, unavailable } from '../files/failures.ts';
import { DeadlinePassed, StoreBusy, StoreUnavailable } from '../port/errors.ts';
import type { Budget } from './budget.ts';
import type { LoweredCount } from './count.ts';
import type { FoundRow } from './found.ts';
import type { LoweredSearch } from './lower.ts';
import type { Traced } from './trace.ts';

/** Maximum number of concurrent unbounded statements of a server. */
const mostReaders = 2;
/** How long a reader may exceed its deadline before it is terminated, in milliseconds: a sort calls no function. */
const grace = 1_000;

interface Waiting {
  readonly question: Question;
  readonly explain: boolean;
  /** Ends the wait in the queue. */
  readonly patience: NodeJS.Timeout;
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker, and its current statement. */
interface Reader {
  readonly worker: Worker;
  current: { readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined;
}

/** Worker threads for statements whose work is not bounded in advance; started when needed. */
export class Readers {
  readonly #data: { readonly path: string; readonly readOnly: boolean };
  readonly #deadline: number;
  readonly #condition: Condition;
  readonly #most: number;
  readonly #readers = new Set<Reader>();
  #queue: Waiting[] = [];
  #closed = false;

  /** `processes` share the threads. */
  constructor(
    data: { readonly path: string; readonly readOnly: boolean },
    deadline: number,
    condition: Condition,
    processes = 1,
  ) {
    this.#most = Math.max(1, Math.floor(mostReaders / processes));
    this.#data = data;
    this.#deadline = deadline;
    this.#condition = condition;
  }

  /**
   * The answer of a reader. Throws `DeadlinePassed` if the statement exceeds the deadline, `StoreBusy` if it waits as
   * long for its turn (which is not the statement's fault), and `StoreUnavailable` if the file or the thread fails.
   */
  async ask(question: Question, explain = false): Promise<Extract<ReaderAnswer, { kind: Question['kind'] }>> {
    if (this.#closed) throw new Error('The store is closed');
    const answer = await new Promise<ReaderAnswer>((resolve, reject) => {
      const patience = setTimeout(() => {
        this.#queue = this.#queue.filter(waiting => waiting.patience !== patience);
        reject(new StoreBusy(this.#deadline));
      }, this.#deadline);
      this.#queue.push({ question, explain, patience, resolve, reject });
      this.#next();
    });
    if (answer.kind === 'late') throw new DeadlinePassed(this.#deadline);
    if (answer.kind !== 'failed') return answer;
    const { failure, error } = answer;
    if (failure === undefined) throw new Error('The store could not read', { cause: error });
    this.#condition.readFailed(failure);
    throw unavailable(failure, error);
  }

  /** Statements that wait for their turn. */
  get waiting(): number {
    return this.#queue.length;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { patience, reject } of this.#queue) {
      clearTimeout(patience);
      reject(new Error('The store is closed'));
    }
    this.#queue = [];
    await Promise.all([...this.#readers].map(({ worker }) => worker.terminate()));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const idle = [...this.#readers].find(reader => reader.current === undefined);
      const reader = idle ?? (this.#readers.size < this.#most ? this.#start() : undefined);
      const waiting = reader === undefined ? undefined : this.#queue.shift();
      if (reader === undefined || waiting === undefined) return;
      this.#give(reader, waiting);
    }
  }

  #start(): Reader {
    const options = { workerData: this.#data, execArgv: threadArguments };
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), options);
    const reader: Reader = { worker, current: undefined };
    worker.on('message', (answer: ReaderAnswer) => {
      this.#finish(reader)?.resolve(answer);
      this.#next();
    });
    worker.on('error', error => this.#lose(reader, error));
    worker.on('exit', () => this.#lose(reader, undefined));
    this.#readers.add(reader);
    return reader;
  }

  #give(reader: Reader, waiting: Waiting): void {
    clearTimeout(waiting.patience);
    const timer = setTimeout(() => {
      waiting.resolve({ kind: 'late' });
      void reader.worker.terminate();
    }, this.#deadline + grace);
    reader.current = { waiting, timer };
    const { question, explain } = waiting;
    send(reader.worker, { question, explain, deadline: this.#deadline });
  }

  #finish(reader: Reader): Waiting | undefined {
    const { current } = reader;
    clearTimeout(current?.timer);
    reader.current = undefined;
    return current?.waiting;
  }

  #lose(reader: Reader, error: unknown): void {
    this.#readers.delete(reader);
    this.#finish(reader)?.reject(this.#closed ? new Error('The store is closed') : ended(error));
    if (!this.#closed) this.#next();
  }
}

const ended = (cause: unknown): StoreUnavailable =>
  new StoreUnavailable('transient', 'A thread that reads has ended. It starts again with the next search.', cause);

function send(worker: Worker, request: ReaderRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage(request);
}

/** A request to a reader worker. */
export type Question =
  | { readonly kind: 'page'; readonly search: LoweredSearch; readonly budget: Budget }
  | { readonly kind: 'count'; readonly count: LoweredCount; readonly budget: Budget }
  | { readonly kind: 'bytes'; readonly tree: string };

export interface ReaderRequest {
  readonly question: Question;
  /** Records the statements. */
  readonly explain: boolean;
  /** Its deadline, in milliseconds. */
  readonly deadline: number;
}

export type ReaderAnswer =
  | { readonly kind: 'page'; readonly rows: readonly FoundRow[]; readonly trace?: Traced }
  | { readonly kind: 'count'; readonly count: number; readonly trace?: Traced }
  | { readonly kind: 'bytes'; readonly bytes: number; readonly trace?: Traced }
  | { readonly kind: 'late' }
  /** `failure` is undefined for a bug of the engine. */
  | { readonly kind: 'failed'; readonly failure: Failure | undefined; readonly error: unknown };
