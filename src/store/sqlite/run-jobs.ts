import { sweepFolder } from '../files/sweep.ts';
import { knownAttachments } from './attachments.ts';
import { failureOf } from './failures.ts';
import {
  addPartition,
  define,
  hidePartition,
  rebuild,
  refuseOthers,
  register,
  registered,
  restart,
} from './index-jobs.ts';
import { type JobResult, JobStopped, type SubmittedJob, type WriterData } from './jobs.ts';
import { serverRuns } from './lock.ts';
import { document, keepNotes } from './note-jobs.ts';
import type { Database } from './open.ts';
import { restore } from './restore-job.ts';
import { sweep } from './sweep-job.ts';
import { mergeSomeWords } from './words-table.ts';
import { Commit, write } from './write-job.ts';

/**
 * Runs jobs in one transaction, so that a failed one does not affect the others. The results are returned only after
 * the commit, which is then durable; if it fails, all have failed.
 */
export function runTogether(
  database: Database,
  asked: readonly SubmittedJob[],
  data: WriterData,
): readonly JobResult[] {
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return [runAlone(database, only, data)];
  try {
    return database.transaction(() => {
      const commit = new Commit(database);
      return asked.map(one => inSavepoint(database, commit, data.path, () => run(database, one, commit, data)));
    });
  } catch (error) {
    return asked.map(() => failed(error, data.path));
  }
}

/** Without a savepoint, for which SQLite copies every page before it changes: the transaction itself is undone. */
function runAlone(database: Database, asked: SubmittedJob, data: WriterData): JobResult {
  try {
    return database.transaction(() => {
      const commit = new Commit(database);
      const result = run(database, asked, commit, data);
      commit.keep();
      return result;
    });
  } catch (error) {
    return error instanceof JobStopped ? error.result : failed(error, data.path);
  }
}

const failed = (error: unknown, path: string): JobResult => ({
  kind: 'failed',
  failure: failureOf(error, 'write', path),
  error,
});

function inSavepoint(database: Database, commit: Commit, path: string, work: () => JobResult): JobResult {
  database.run('SAVEPOINT job');
  try {
    const result = work();
    commit.keep();
    database.run('RELEASE job');
    return result;
  } catch (error) {
    // SQLite itself rolls back after some errors, such as a full disk. https://sqlite.org/lang_transaction.html
    if (!database.isTransaction) throw error;
    database.run('ROLLBACK TO job');
    database.run('RELEASE job');
    commit.forget();
    return error instanceof JobStopped ? error.result : failed(error, path);
  }
}

function run(database: Database, asked: SubmittedJob, commit: Commit, data: WriterData): JobResult {
  const { job, definitions, held } = asked;
  switch (job.kind) {
    case 'document':
      return document(database, job);
    case 'moment':
      return { kind: 'done', value: commit.moment(job.n, job.now) };
    case 'hidePartition':
      return hidePartition(database, job);
    case 'sweep':
      return sweep(database, data.path, job.now);
    case 'mergeWords':
      return { kind: 'done', value: mergeSomeWords(database) ? 1 : 0 };
    case 'sweepBytes':
      sweepFolder(knownAttachments(database), data.path, job.due);
      return { kind: 'done', value: null };
    case 'register':
      // Checked inside of the transaction: a server that starts now registers its own definitions after this one.
      if (data.mode === 'command' && !isRegistered(database, definitions) && serverRuns(data.path))
        return refuseOthers(data.path);
      return epochOf(database) === job.epoch ? register(database, job, definitions) : { kind: 'stale' };
    case 'define':
      if (!isRegistered(database, definitions)) return { kind: 'unregistered' };
      return epochOf(database) === job.epoch ? define(database, job) : { kind: 'stale' };
    case 'notes':
      return keepNotes(database, job);
    case 'write':
    case 'restore':
    case 'rebuild':
      if (!isRegistered(database, definitions)) return { kind: 'unregistered' };
      if (epochOf(database) !== job.epoch) return { kind: 'stale' };
      if (job.kind === 'write') return write({ database, job, commit, file: data.path }, held);
      return job.kind === 'restore' ? restore(database, job, commit, data.path) : rebuild(database, job);
    case 'addPartition':
      return isRegistered(database, definitions) ? addPartition(database, job) : { kind: 'unregistered' };
    case 'restart':
      return isRegistered(database, definitions) ? restart(database, job) : { kind: 'unregistered' };
    default:
      return job satisfies never;
  }
}

function isRegistered(database: Database, definitions: string): boolean {
  return registered(database) === definitions;
}

function epochOf(database: Database): number {
  return Number(database.get(`SELECT value FROM meta WHERE key = 'epoch'`)?.[0]);
}
