import { parentPort, workerData } from 'node:worker_threads';
import type { Failure } from '../files/failures.ts';
import { countMatches } from './count.ts';
import { failureOf } from './failures.ts';
import { type Database, openDatabase } from './open.ts';
import type { Question, ReaderAnswer, ReaderRequest } from './readers.ts';
import { pageWithin } from './search.ts';

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
  const read = (database: Database, question: Question): Extract<ReaderAnswer, { kind: Question['kind'] }> => {
    switch (question.kind) {
      case 'page':
        return { kind: 'page', rows: pageWithin(database, question.search, question.budget) ?? [] };
      case 'count':
        return { kind: 'count', count: countMatches(database, question.count, question.budget) ?? 0 };
      case 'bytes':
        return { kind: 'bytes', bytes: bytesOfTree(database, question.tree) };
      default:
        return question satisfies never;
    }
  };
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

/** The bytes of the pages of a table or an index. https://sqlite.org/dbstat.html */
function bytesOfTree(database: Database, name: string): number {
  const [bytes] = database.get('SELECT total(pgsize) FROM dbstat WHERE name = ? AND deadline()', [name]) ?? [];
  return Number(bytes);
}
