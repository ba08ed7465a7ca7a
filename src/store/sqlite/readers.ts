import { Worker } from 'node:worker_threads';
import { DeadlinePassed } from '../store.ts';
import type { Question, ReaderAnswer, ReaderRequest } from './reading.ts';

/** How many statements without a bound run at once. */
const mostReaders = 2;
/** How long a reader may overrun its deadline before it is ended, in milliseconds: a sort calls nothing. */
const grace = 1_000;

interface Waiting {
  readonly question: Question;
  readonly end: number;
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Worker threads for statements whose work is not bounded beforehand; started when needed. */
export class Readers {
  readonly #data: { readonly path: string; readonly readOnly: boolean };
  readonly #deadline: number;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  #queue: Waiting[] = [];
  #closed = false;

  constructor(data: { readonly path: string; readonly readOnly: boolean }, deadline: number) {
    this.#data = data;
    this.#deadline = deadline;
  }

  /** The answer of a reader. Throws `DeadlinePassed`; time in the queue counts. */
  async ask(question: Question): Promise<ReaderAnswer> {
    if (this.#closed) throw new Error('The store is closed');
    const answer = await new Promise<ReaderAnswer>((resolve, reject) => {
      this.#queue.push({ question, end: performance.now() + this.#deadline, resolve, reject });
      this.#next();
    });
    if (answer.kind === 'late') throw new DeadlinePassed(this.#deadline);
    if (answer.kind === 'failed') throw new Error('The store could not read', { cause: answer.error });
    return answer;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue) reject(new Error('The store is closed'));
    this.#queue = [];
    await Promise.all([...this.#all].map(worker => worker.terminate()));
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const worker = this.#idle.pop() ?? (this.#all.size < mostReaders ? this.#start() : undefined);
      if (worker === undefined) return;
      const waiting = this.#queue.shift();
      if (waiting !== undefined) this.#give(worker, waiting);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-worker.ts', import.meta.url), { workerData: this.#data });
    this.#all.add(worker);
    return worker;
  }

  #give(worker: Worker, { question, end, resolve, reject }: Waiting): void {
    const left = end - performance.now();
    const done = (): void => {
      clearTimeout(timer);
      worker.removeAllListeners();
      this.#next();
    };
    const lose = (): void => {
      this.#all.delete(worker);
      done();
    };
    const timer = setTimeout(
      () => {
        resolve({ kind: 'late' });
        lose();
        void worker.terminate();
      },
      Math.max(left, 0) + grace,
    );
    worker.once('message', (answer: ReaderAnswer) => {
      resolve(answer);
      this.#idle.push(worker);
      done();
    });
    worker.once('error', error => {
      reject(error);
      lose();
    });
    worker.once('exit', () => {
      reject(new Error('The store is closed'));
      lose();
    });
    worker.postMessage({ question, left } satisfies ReaderRequest);
  }
}
