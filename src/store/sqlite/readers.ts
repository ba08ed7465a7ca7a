import { Worker } from 'node:worker_threads';
import { DeadlinePassed, StoreBusy } from '../store.ts';
import type { Question, ReaderAnswer, ReaderRequest } from './reading.ts';

/** How many statements without a bound run at once. */
const mostReaders = 2;
/** How long a reader may overrun its deadline before it is ended, in milliseconds: a sort calls nothing. */
const grace = 1_000;

interface Waiting {
  readonly question: Question;
  /** Ends the wait in the queue. */
  readonly patience: NodeJS.Timeout;
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker, and what it is at. */
interface Reader {
  readonly worker: Worker;
  current: { readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined;
}

/** Worker threads for statements whose work is not bounded beforehand; started when needed. */
export class Readers {
  readonly #data: { readonly path: string; readonly readOnly: boolean };
  readonly #deadline: number;
  readonly #readers = new Set<Reader>();
  #queue: Waiting[] = [];
  #closed = false;

  constructor(data: { readonly path: string; readonly readOnly: boolean }, deadline: number) {
    this.#data = data;
    this.#deadline = deadline;
  }

  /**
   * The answer of a reader. Throws `DeadlinePassed` where the statement takes longer than the deadline, and `StoreBusy` where
   * it waits as long for its turn: that is no fault of the statement.
   */
  async ask(question: Question): Promise<ReaderAnswer> {
    if (this.#closed) throw new Error('The store is closed');
    const answer = await new Promise<ReaderAnswer>((resolve, reject) => {
      const patience = setTimeout(() => {
        this.#queue = this.#queue.filter(waiting => waiting.patience !== patience);
        reject(new StoreBusy(this.#deadline));
      }, this.#deadline);
      this.#queue.push({ question, patience, resolve, reject });
      this.#next();
    });
    if (answer.kind === 'late') throw new DeadlinePassed(this.#deadline);
    if (answer.kind === 'failed') throw new Error('The store could not read', { cause: answer.error });
    return answer;
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
      const reader = idle ?? (this.#readers.size < mostReaders ? this.#start() : undefined);
      const waiting = reader === undefined ? undefined : this.#queue.shift();
      if (reader === undefined || waiting === undefined) return;
      this.#give(reader, waiting);
    }
  }

  #start(): Reader {
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), { workerData: this.#data });
    const reader: Reader = { worker, current: undefined };
    worker.on('message', (answer: ReaderAnswer) => {
      this.#finish(reader)?.resolve(answer);
      this.#next();
    });
    worker.on('error', error => this.#lose(reader, error));
    worker.on('exit', () => this.#lose(reader, new Error('A reader has ended')));
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
    send(reader.worker, { question: waiting.question, deadline: this.#deadline });
  }

  #finish(reader: Reader): Waiting | undefined {
    const { current } = reader;
    clearTimeout(current?.timer);
    reader.current = undefined;
    return current?.waiting;
  }

  #lose(reader: Reader, error: unknown): void {
    this.#readers.delete(reader);
    this.#finish(reader)?.reject(this.#closed ? new Error('The store is closed') : error);
    if (!this.#closed) this.#next();
  }
}

function send(worker: Worker, request: ReaderRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage(request);
}
