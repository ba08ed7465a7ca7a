import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { StoreTimes } from '../port/store.ts';
import { parseChanges, parseJob } from './job-text.ts';
import {
  longestHold,
  type PreparedChange,
  type SentPart,
  type SubmittedJob,
  type WriterData,
  type WriterMessage,
  type WriterRequest,
} from './jobs.ts';
import { WriterConnection } from './writer-connection.ts';

interface Held {
  readonly parts: SentPart[];
  readonly timer: NodeJS.Timeout;
}

/** The parts of large writes whose job has not come yet; of one that never comes they are let go after a while. */
class HeldParts {
  readonly #held = new Map<string, Held>();

  add(part: SentPart): void {
    const held = this.#held.get(part.part) ?? this.#begin(part.part);
    held.parts.push(part);
    held.timer.refresh();
  }

  /** The changes of a job's parts, one part after the other, which are let go; undefined if they are not there. */
  take(name: string): (() => Iterable<readonly PreparedChange[]>) | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return undefined;
    clearTimeout(held.timer);
    this.#held.delete(name);
    return function* () {
      for (const part of held.parts) yield parseChanges(part);
    };
  }

  #begin(name: string): Held {
    const timer = setTimeout(() => this.#held.delete(name), longestHold).unref();
    const held = { parts: [], timer };
    this.#held.set(name, held);
    return held;
  }
}

/** Jobs with more changes are not joined by others, so that no commit takes long. */
const mostChanges = 500;

const port = parentPort;
if (port !== null) {
  const post = (message: WriterMessage): void => port.postMessage(message);
  // The worker data of writer.ts.
  const data = workerData as WriterData;
  const timed: StoreTimes | undefined = data.timed
    ? (step, milliseconds) => post({ kind: 'timed', step, milliseconds })
    : undefined;
  const connection = new WriterConnection(data, failure => post({ kind: 'checkpoint', failure }), timed);
  const parts = new HeldParts();
  // What was sent with postMessage arrives as it was sent.
  const nextRequest = (): WriterRequest | undefined => receiveMessageOnPort(port)?.message as WriterRequest | undefined;
  port.on('message', (first: WriterRequest) => {
    for (let next: WriterRequest | undefined = first; next !== undefined;) {
      if (typeof next.job === 'object' && 'part' in next.job) {
        parts.add(next.job);
        post({ kind: 'results', numbers: [next.number], results: [{ kind: 'done', value: null }] });
        next = nextRequest();
        continue;
      }
      const numbers: number[] = [];
      const jobs: SubmittedJob[] = [];
      let changes = 0;
      while (next?.job !== undefined && changes <= mostChanges) {
        if (typeof next.job === 'object' && 'part' in next.job) break;
        const asked = withParts(parseJob(next.job), parts);
        if (asked === undefined) post({ kind: 'results', numbers: [next.number], results: [{ kind: 'stale' }] });
        else {
          numbers.push(next.number);
          jobs.push(asked);
          const isSmall = asked.job.kind === 'write' && asked.held === undefined;
          changes += isSmall ? asked.job.changes.length : mostChanges;
        }
        next = nextRequest();
      }
      if (jobs.length > 0) {
        const began = performance.now();
        const results = connection.commit(jobs);
        timed?.('commit', performance.now() - began);
        post({ kind: 'results', numbers, results });
        connection.afterCommit(results);
      }
      if (next !== undefined && next.job === undefined) {
        connection.close();
        post({ kind: 'results', numbers: [next.number], results: [{ kind: 'done', value: null }] });
        port.close();
        return;
      }
    }
  });
}

/** A job with the changes of its parts; undefined if this thread began after they were sent, and does not have them. */
function withParts(asked: SubmittedJob, parts: HeldParts): SubmittedJob | undefined {
  if (asked.job.kind !== 'write' || asked.job.parts === undefined) return asked;
  const held = parts.take(asked.job.parts);
  return held && { ...asked, held };
}
