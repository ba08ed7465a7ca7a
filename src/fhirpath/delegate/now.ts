import { receiveMessageOnPort } from 'node:worker_threads';
import type { JobAnswer, Job, Reply } from './job.ts';
import { idle, start, startThread, usual } from './thread.ts';
import type { Thread } from './thread.ts';

/**
 * Runs jobs in a thread and blocks this one until they end, within the limits. For work that cannot be asynchronous:
 * the index entries of a record, the check of a definition, a load.
 */
export function runNow(jobs: readonly Job[], limits = usual): readonly JobAnswer[] {
  const answers: JobAnswer[] = [];
  const end = performance.now() + limits.all;
  while (answers.length < jobs.length) {
    const left = end - performance.now();
    const late = { kind: 'late', milliseconds: left <= 0 ? limits.all : limits.each } as const;
    if (left <= 0) answers.push(late);
    else if (!collect(jobs.slice(answers.length), answers, limits.each, end)) {
      stop();
      answers.push(late);
    }
  }
  return answers;
}

let thread: Thread | undefined;
let requests = 0;
let timer: NodeJS.Timeout | undefined;

/** Adds answers that arrive in time; false if one is late. */
function collect(jobs: readonly Job[], answers: JobAnswer[], each: number, end: number): boolean {
  const at = ready();
  const id = ++requests;
  let seen = Atomics.load(at.answered, 0);
  at.send({ id, jobs });
  for (let count = 0; count < jobs.length;) {
    const time = Math.max(0, Math.min(each, end - performance.now()));
    if (Atomics.wait(at.answered, 0, seen, time) === 'timed-out') return false;
    seen = Atomics.load(at.answered, 0);
    for (let message = receiveMessageOnPort(at.port); message !== undefined; message = receiveMessageOnPort(at.port)) {
      answers.push((message.message as Reply).answer);
      count++;
    }
  }
  return true;
}

function ready(): Thread {
  timer?.refresh();
  if (thread !== undefined) return thread;
  const made = startThread();
  if (Atomics.wait(made.answered, 0, 0, start) === 'timed-out')
    throw new Error('The thread for FHIRPath does not start');
  receiveMessageOnPort(made.port);
  thread = made;
  timer = setTimeout(stop, idle).unref();
  return made;
}

function stop(): void {
  clearTimeout(timer);
  void thread?.worker.terminate();
  thread?.port.close();
  thread = undefined;
}
