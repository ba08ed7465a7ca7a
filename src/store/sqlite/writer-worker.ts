import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { StoreTimes } from '../store.ts';
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
  port.on('message', (first: WriterRequest) => {
    for (let next: WriterRequest | undefined = first; next !== undefined;) {
      const numbers: number[] = [];
      const jobs: SubmittedJob[] = [];
      let changes = 0;
      while (next?.job !== undefined && changes <= mostChanges) {
        const asked = parseJob(next.job);
        numbers.push(next.number);
        jobs.push(asked);
        changes += asked.job.kind === 'write' ? asked.job.changes.length : mostChanges;
        // What was sent with postMessage arrives as it was sent.
        next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
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
