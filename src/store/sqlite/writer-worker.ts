import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { Checkpoints } from './checkpoint.ts';
import { runTogether } from './run-jobs.ts';
import type { Asked, WriterAnswer, WriterData, WriterRequest } from './jobs.ts';
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
      const group: { number: number; asked: Asked }[] = [];
      let changes = 0;
      while (next?.asked !== undefined && changes <= mostChanges) {
        const { number, asked } = next;
        group.push({ number, asked });
        changes += asked.job.kind === 'write' ? asked.job.changes.length : mostChanges;
        // What was sent with postMessage arrives as it was sent.
        next = receiveMessageOnPort(port)?.message as WriterRequest | undefined;
      }
      if (group.length > 0) {
        const results = runTogether(
          database,
          group.map(({ asked }) => asked),
          data,
        );
        port.postMessage(group.map(({ number }, at) => ({ number, result: results[at] })));
        checkpoints.afterCommit();
      }
      if (next !== undefined && next.asked === undefined) {
        checkpoints.atEnd();
        database.close();
        port.postMessage([{ number: next.number, result: { kind: 'done', value: null } }] satisfies WriterAnswer);
        port.close();
        return;
      }
    }
  });
}
