import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { StoreTimes } from '../store.ts';
import { parseJob } from './job-text.ts';
import type { SubmittedJob, WriterAnswer, WriterData, WriterMessage, WriterRequest } from './jobs.ts';
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
      const group: { number: number; jobs: readonly SubmittedJob[] }[] = [];
      let changes = 0;
      while (next?.jobs !== undefined && changes <= mostChanges) {
        const jobs = next.jobs.map(parseJob);
        group.push({ number: next.number, jobs });
        for (const { job } of jobs) changes += job.kind === 'write' ? job.changes.length : mostChanges;
        // What was sent with postMessage arrives as it was sent.
        next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
      }
      if (group.length > 0) {
        const began = performance.now();
        const results = connection.commit(group.flatMap(({ jobs }) => jobs));
        timed?.('commit', performance.now() - began);
        let at = 0;
        const answers = group.map(({ number, jobs }): WriterAnswer => ({
          number,
          results: results.slice(at, (at += jobs.length)),
        }));
        post({ kind: 'results', answers });
        connection.afterCommit(results);
      }
      if (next !== undefined && next.jobs === undefined) {
        connection.close();
        post({ kind: 'results', answers: [{ number: next.number, results: [] }] });
        port.close();
        return;
      }
    }
  });
}
