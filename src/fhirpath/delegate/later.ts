import { once } from 'node:events';
import type { JobAnswer, Job, Reply } from './job.ts';
import { idle, startThread, usual } from './thread.ts';
import type { Thread } from './thread.ts';

/**
 * Runs jobs in a thread without blocking this one; the limits count from the start of a request, and requests run one
 * after the other. Never rejects: errors are in the answers.
 */
export function run(jobs: readonly Job[], limits = usual): Promise<readonly JobAnswer[]> {
  const turn = last.then(async () => answer(jobs, limits));
  last = turn;
  return turn;
}

let last: Promise<unknown> = Promise.resolve();
let thread: Promise<Thread> | undefined;
let requests = 0;
let timer: NodeJS.Timeout | undefined;

async function answer(jobs: readonly Job[], limits: { each: number; all: number }): Promise<readonly JobAnswer[]> {
  const answers: JobAnswer[] = [];
  let end = 0;
  while (answers.length < jobs.length) {
    if (end !== 0 && performance.now() >= end) {
      answers.push({ kind: 'late', milliseconds: limits.all });
      continue;
    }
    clearTimeout(timer);
    try {
      const at = await (thread ??= begun());
      end ||= performance.now() + limits.all;
      const problem = await collect(at, jobs.slice(answers.length), answers, limits.each, end);
      if (problem === undefined) continue;
      stop(at);
      answers.push(problem);
    } catch (error) {
      thread = undefined;
      answers.push({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    }
  }
  timer = setTimeout(() => void thread?.then(stop), idle).unref();
  return answers;
}

async function begun(): Promise<Thread> {
  const made = startThread();
  made.worker.ref();
  const failed = once(made.worker, 'exit').then(() => {
    throw new Error('The thread for FHIRPath does not start');
  });
  failed.catch(() => {}); // the thread ends eventually
  await Promise.race([once(made.port, 'message'), failed]);
  made.worker.unref();
  return made;
}

/** Adds answers that arrive in time; then the error of the next one. */
function collect(
  at: Thread,
  jobs: readonly Job[],
  answers: JobAnswer[],
  each: number,
  end: number,
): Promise<JobAnswer | undefined> {
  const id = ++requests;
  return new Promise(resolve => {
    let left = jobs.length;
    let deadline: NodeJS.Timeout;
    const wait = (): void => {
      const time = Math.max(0, Math.min(each, end - performance.now()));
      deadline = setTimeout(() => finish({ kind: 'late', milliseconds: each }), time);
    };
    const finish = (problem: JobAnswer | undefined): void => {
      clearTimeout(deadline);
      at.port.off('message', take);
      at.worker.off('exit', ended);
      at.worker.off('error', ended);
      at.port.unref();
      resolve(problem);
    };
    const ended = (): void => finish({ kind: 'failed', message: 'it needs too much memory' });
    const take = (reply: Reply): void => {
      if (reply.id !== id) return;
      clearTimeout(deadline);
      answers.push(reply.answer);
      if (--left === 0) finish(undefined);
      else wait();
    };
    at.port.on('message', take);
    at.worker.on('exit', ended);
    at.worker.on('error', ended);
    wait();
    at.send({ id, jobs });
  });
}

function stop({ worker, port }: Thread): void {
  thread = undefined;
  port.close();
  void worker.terminate();
}
