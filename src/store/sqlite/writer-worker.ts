import { deserialize, serialize } from 'node:v8';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { StoreTimes } from '../store.ts';
import type { Failure } from '../files/failures.ts';
import type { JobResult, SubmittedJob, WriterData, WriterMessage, WriterRequest } from './jobs.ts';
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
      const group: { number: number; jobs: readonly SubmittedJob[]; isRelayed: boolean }[] = [];
      let changes = 0;
      while (next?.asked !== undefined && changes <= mostChanges) {
        const { number, asked } = next;
        const isRelayed = asked instanceof Uint8Array;
        const jobs = isRelayed ? (deserialize(asked) as readonly SubmittedJob[]) : [asked]; // of relayed-writer.ts
        group.push({ number, jobs, isRelayed });
        for (const { job } of jobs) changes += job.kind === 'write' ? job.changes.length : mostChanges;
        // What was sent with postMessage arrives as it was sent.
        next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
      }
      if (group.length > 0) {
        const began = performance.now();
        const results = connection.commit(group.flatMap(({ jobs }) => jobs));
        timed?.('commit', performance.now() - began);
        let at = 0;
        const own: { numbers: number[]; results: JobResult[] } = { numbers: [], results: [] };
        for (const { number, jobs, isRelayed } of group) {
          const of = results.slice(at, (at += jobs.length));
          if (isRelayed) post({ kind: 'relayed', number, results: serialize(of), failure: firstFailure(of) });
          else {
            own.numbers.push(number);
            own.results.push(...of);
          }
        }
        if (own.numbers.length > 0) post({ kind: 'results', ...own });
        connection.afterCommit(results);
      }
      if (next !== undefined && next.asked === undefined) {
        connection.close();
        post({ kind: 'results', numbers: [next.number], results: [{ kind: 'done', value: null }] });
        port.close();
        return;
      }
    }
  });
}

const firstFailure = (results: readonly JobResult[]): Failure | undefined =>
  results.map(result => (result.kind === 'failed' ? result.failure : undefined)).find(failure => failure !== undefined);
