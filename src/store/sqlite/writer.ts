import { Worker } from 'node:worker_threads';
import type { Asked, JobResult, WriterAnswer, WriterData, WriterRequest } from './jobs.ts';

/** The one that writes: a worker thread, started with the first job. */
export class Writer {
  readonly #data: WriterData;
  readonly #waiting = new Map<number, { resolve: (result: JobResult) => void; reject: (error: unknown) => void }>();
  #worker: Worker | undefined;
  #number = 0;
  #failure: Error | undefined;
  #closed = false;

  constructor(data: WriterData) {
    this.#data = data;
  }

  /** Resolves when the job is committed and on the disk, or was not done; rejects where the store fails. */
  async submit(asked: Asked): Promise<Exclude<JobResult, { kind: 'failed' }>> {
    if (this.#closed) throw new Error('The store is closed');
    const result = await this.#send(asked);
    if (result.kind !== 'failed') return result;
    throw new Error('The store could not write', { cause: result.error });
  }

  /** Throws where the writer has ended by itself. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Finishes what waits. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#worker !== undefined && this.#failure === undefined) await this.#send(undefined);
    await this.#worker?.terminate();
  }

  #send(asked: Asked | undefined): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#number += 1;
      this.#waiting.set(this.#number, { resolve, reject });
      send(this.#start(), { number: this.#number, asked });
    });
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL('./writer-worker.ts', import.meta.url), { workerData: this.#data });
    worker.on('message', (answers: WriterAnswer) => {
      for (const { number, result } of answers) {
        this.#waiting.get(number)?.resolve(result);
        this.#waiting.delete(number);
      }
    });
    worker.on('error', error => this.#fail(new Error('The writer has failed', { cause: error })));
    worker.on('exit', () => this.#fail(new Error('The writer has ended')));
    this.#worker = worker;
    return worker;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

function send(worker: Worker, request: WriterRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread has no origin
  worker.postMessage(request);
}
