import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { StoreTimes } from '../port/store.ts';
import { HeldParts } from './held-parts.ts';
import { parseJob } from './job-text.ts';
import type { SubmittedJob, WriterData, WriterMessage, WriterRequest } from './jobs.ts';
import { WriterConnection } from './writer-connection.ts';

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
