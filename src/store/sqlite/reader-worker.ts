import { parentPort, workerData } from 'node:worker_threads';
import { countMatches } from './count.ts';
import { openDatabase } from './open.ts';
import type { ReaderAnswer, ReaderRequest } from './reading.ts';
import { findPage } from './search.ts';

const port = parentPort;
if (port !== null) {
  // Worker data is what readers.ts gives.
  const { path, readOnly } = workerData as { path: string; readOnly: boolean };
  const database = openDatabase(path, readOnly ? 'readOnly' : 'read');
  let end = Infinity;
  let isLate = false;
  // SQLite has no interrupt here: a function that throws ends the statement.
  database.define('deadline', () => {
    if (performance.now() < end) return 1;
    isLate = true;
    throw new Error('The deadline has passed');
  });
  const answer = ({ question }: ReaderRequest): ReaderAnswer => {
    try {
      return question.kind === 'page'
        ? { kind: 'page', rows: findPage(database, question.search, question.budget) ?? [] }
        : { kind: 'count', count: countMatches(database, question.count, question.budget) ?? 0 };
    } catch (error) {
      return isLate ? { kind: 'late' } : { kind: 'failed', error };
    }
  };
  port.on('message', (request: ReaderRequest) => {
    end = performance.now() + request.deadline;
    isLate = false;
    port.postMessage(answer(request));
  });
}
