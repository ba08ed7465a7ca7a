import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { Job, JobAnswer } from './job.ts';

/** Time limits of fhirpath.js, in milliseconds. */
interface JobLimits {
  /** For one expression on one value. */
  readonly each: number;
  /** For all expressions of one record, from the start of the first. */
  readonly all: number;
}

/** Much more than a terminating expression takes: a machine may be busy. */
const usual: JobLimits = { each: 2_000, all: 5_000 };

/** For the start of the thread and the loading of the package, also on a busy machine. */
const start = 60_000;

/** A thread without work ends after this time, which frees its memory. */
const idle = 60_000;

/**
 * Runs jobs in a thread and blocks this one until they end, within the limits. For work that cannot be asynchronous:
 * the index entries of a record, the check of a definition, a load. Errors are in the answers.
 */
export function runNow(jobs: readonly Job[], limits = usual): readonly JobAnswer[] {
  const waits = answersOf(jobs, limits, blocking);
  let next = waits.next();
  while (next.done !== true) {
    const { thread, seen, time } = next.value;
    next = waits.next(Atomics.wait(thread.answered, 0, seen, time));
  }
  return next.value;
}

/** Runs jobs in a thread without blocking this one; requests run one after the other. Errors are in the answers. */
export function run(jobs: readonly Job[], limits = usual): Promise<readonly JobAnswer[]> {
  const turn = last.then(async () => {
    const waits = answersOf(jobs, limits, concurrent);
    let next = waits.next();
    while (next.done !== true) next = waits.next(await outcomeOf(next.value));
    return next.value;
  });
  last = turn.catch(() => undefined);
  return turn;
}

let last: Promise<unknown> = Promise.resolve();

/** A thread that runs fhirpath.js, and the means to wait for it with and without an event loop. */
interface Thread {
  readonly worker: Worker;
  readonly port: MessagePort;
  /** Number of messages that it has sent; the first is sent when fhirpath.js is loaded. */
  readonly answered: Int32Array<SharedArrayBuffer>;
  /** Settles when it has ended, by a lack of memory or by `end`. */
  readonly ended: Promise<'ended'>;
}

/** The thread of one way of waiting, which serves one request at a time. */
interface Holder {
  thread: Thread | undefined;
  timer: NodeJS.Timeout | undefined;
}

const blocking: Holder = { thread: undefined, timer: undefined };
const concurrent: Holder = { thread: undefined, timer: undefined };

/** The next message of a thread that has sent `seen` of them, for which the caller waits so many milliseconds. */
interface Wait {
  readonly thread: Thread;
  readonly seen: number;
  readonly time: number;
}

type Outcome = 'ok' | 'not-equal' | 'timed-out' | 'ended';

async function outcomeOf({ thread: { worker, answered, ended }, seen, time }: Wait): Promise<Outcome> {
  worker.ref();
  const outcome = await Promise.race([Atomics.waitAsync(answered, 0, seen, time).value, ended]);
  worker.unref();
  return outcome;
}

/** The answers to jobs, in order; yields each wait, and is given its outcome. */
function* answersOf(
  jobs: readonly Job[],
  limits: JobLimits,
  holder: Holder,
): Generator<Wait, readonly JobAnswer[], Outcome> {
  const answers: JobAnswer[] = [];
  let end = 0;
  clearTimeout(holder.timer);
  while (answers.length < jobs.length) {
    if (end !== 0 && performance.now() >= end) {
      answers.push({ kind: 'late', milliseconds: limits.all });
      continue;
    }
    const problem =
      (holder.thread === undefined ? yield* begin(holder) : undefined) ??
      (yield* collect(holder, jobs.slice(answers.length), answers, limits.each, (end ||= endOf(limits))));
    if (problem === undefined) continue;
    stop(holder);
    answers.push(problem);
  }
  holder.timer = setTimeout(stop, idle, holder).unref();
  return answers;
}

const endOf = ({ all }: JobLimits): number => performance.now() + all;

/** Starts the thread; returns the answer to the next job if it does not start. */
function* begin(holder: Holder): Generator<Wait, JobAnswer | undefined, Outcome> {
  const thread = startThread();
  holder.thread = thread;
  const outcome = yield { thread, seen: 0, time: start };
  receiveMessageOnPort(thread.port);
  const isBegun = outcome === 'ok' || outcome === 'not-equal';
  return isBegun ? undefined : { kind: 'failed', message: 'The thread for FHIRPath does not start' };
}

/** Adds answers that arrive in time; returns the error of the next one. */
function* collect(
  { thread }: Holder,
  jobs: readonly Job[],
  answers: JobAnswer[],
  each: number,
  end: number,
): Generator<Wait, JobAnswer | undefined, Outcome> {
  if (thread === undefined) return undefined;
  let seen = Atomics.load(thread.answered, 0);
  thread.worker.postMessage(jobs, []);
  for (let count = 0; count < jobs.length;) {
    const outcome = yield { thread, seen, time: Math.max(0, Math.min(each, end - performance.now())) };
    if (outcome === 'timed-out') return { kind: 'late', milliseconds: each };
    if (outcome === 'ended') return { kind: 'failed', message: 'it needs too much memory' };
    seen = Atomics.load(thread.answered, 0);
    for (let next = receiveMessageOnPort(thread.port); next !== undefined; next = receiveMessageOnPort(thread.port)) {
      answers.push(next.message as JobAnswer); // worker.ts sends nothing else
      count++;
    }
  }
  return undefined;
}

/** Starts a thread, which does not keep the process alive. Its memory is limited. */
function startThread(): Thread {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: { port: port2, answered },
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
    execArgv: [],
  });
  const ended = new Promise<'ended'>(resolve => {
    worker.on('exit', () => resolve('ended'));
    worker.on('error', () => resolve('ended'));
  });
  worker.unref();
  port1.unref();
  return { worker, port: port1, answered, ended };
}

function stop(holder: Holder): void {
  holder.thread?.port.close();
  void holder.thread?.worker.terminate();
  holder.thread = undefined;
}
