import { MessageChannel, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { Request } from './job.ts';

/** Time limits of fhirpath.js, in milliseconds. */
interface JobLimits {
  /** For one expression on one value. */
  readonly each: number;
  /** For all expressions of one record. */
  readonly all: number;
}

/** Much more than a terminating expression takes: a machine may be busy. */
export const usual: JobLimits = { each: 2_000, all: 5_000 };

/** For the start of the thread and the loading of the package, also on a busy machine. */
export const start = 60_000;

/** A thread without work ends after this time, which frees its memory. */
export const idle = 60_000;

/** A thread that runs fhirpath.js, and the means to wait for it with and without an event loop. */
export interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** Number of messages that it has sent; the first is sent when fhirpath.js is loaded. */
  readonly answered: Int32Array<SharedArrayBuffer>;
  send(request: Request): void;
}

/** Starts a thread, which does not keep the process alive. Its memory is limited. */
export function startThread(): Thread {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { port: port2, answered },
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    execArgv: [],
  });
  worker.unref();
  port1.unref();
  return {
    worker,
    port: port1,
    answered,
    send(request) {
      worker.postMessage(request, []);
    },
  };
}
