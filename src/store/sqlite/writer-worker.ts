import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Checkpoints } from './checkpoint.ts';
import { runTogether } from './run-jobs.ts';
import type { Job, WriterAnswer, WriterData, WriterRequest } from './jobs.ts';
import { openDatabase } from './open.ts';

/** Jobs with more changes than this are not joined by others, so that no commit takes long. */
const mostChanges = 500;

const port = parentPort;
if (port !== null) {
  // Worker data is what writer.ts gives.
  const data = workerData as WriterData;
  const database = openDatabase(data.path, 'write');
  const checkpoints = new Checkpoints(database);
  port.on('message', (first: WriterRequest) => {
    for (let next: WriterRequest | undefined = first; next !== undefined;) {
      const group: { number: number; job: Job }[] = [];
      let changes = 0;
      while (next?.job !== undefined && changes <= mostChanges) {
        group.push({ number: next.number, job: next.job });
        changes += next.job.kind === 'write' ? next.job.changes.length : mostChanges;
        // What was sent with postMessage arrives as it was sent.
        next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
      }
      if (group.length > 0) {
        const results = runTogether(
          database,
          group.map(({ job }) => job),
          data,
        );
        port.postMessage(group.map(({ number }, at) => ({ number, result: results[at] })));
        checkpoints.afterCommit();
      }
      if (next !== undefined && next.job === undefined) {
        checkpoints.atEnd();
        database.close();
        port.postMessage([{ number: next.number, result: { kind: 'done', value: null } }] satisfies WriterAnswer);
        port.close();
        return;
      }
    }
  });
}
