import { parentPort, workerData } from 'node:worker_threads';
import { countMatches } from './count.ts';
import { type Failure, failureOf } from './failures.ts';
import { type Database, openDatabase } from './open.ts';
import type { Question, ReaderAnswer, ReaderRequest } from './reading.ts';
import { findPage } from './search.ts';

const port = parentPort;
if (port !== null) {
  // The worker data of readers.ts.
  const { path, readOnly } = workerData as { path: string; readOnly: boolean };
  let end = Infinity;
  let isLate = false;
  let failure: Failure | undefined;
  const open = (): Database => {
    const opened = openDatabase(path, readOnly ? 'readOnly' : 'read', found => (failure = found));
    // node:sqlite has no interrupt: a function that throws ends the statement.
    opened.define('deadline', () => {
      if (performance.now() < end) return 1;
      isLate = true;
      throw new Error('The deadline has passed');
    });
    return opened;
  };
  let connection: Database | undefined;
  const read = (database: Database, question: Question): Extract<ReaderAnswer, { kind: Question['kind'] }> =>
    question.kind === 'page'
      ? { kind: 'page', rows: findPage(database, question.search, question.budget) ?? [] }
      : { kind: 'count', count: countMatches(database, question.count, question.budget) ?? 0 };
  const answer = ({ question, explain }: ReaderRequest): ReaderAnswer => {
    try {
      const database = (connection ??= open());
      if (!explain) return read(database, question);
      const { result, trace } = database.traced(() => read(database, question));
      return { ...result, trace };
    } catch (error) {
      return isLate ? { kind: 'late' } : { kind: 'failed', failure: failure ?? failureOf(error, 'read', path), error };
    }
  };
  port.on('message', (request: ReaderRequest) => {
    end = performance.now() + request.deadline;
    isLate = false;
    failure = undefined;
    port.postMessage(answer(request));
  });
}
