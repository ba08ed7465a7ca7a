import { Commit } from './commit.ts';
import { document } from './document-job.ts';
import { dropLoose } from './attachment-sweep.ts';
import { JobStopped } from './job-stopped.ts';
import type { Job, JobResult, WriterData } from './jobs.ts';
import { serverRuns } from './lock.ts';
import type { Database } from './open.ts';
import { keepNotes } from './notes-job.ts';
import { rebuild } from './rebuild-job.ts';
import { addPartition, hidePartition, register, restart } from './register-job.ts';
import { restore } from './restore-job.ts';
import { sweep } from './sweep-job.ts';
import { write } from './write-job.ts';

/**
 * Runs jobs in one transaction with a savepoint each, so that one that fails leaves the others alone. The results are
 * given only after the commit, which is then on the disk; where it fails, all have failed.
 */
export function runTogether(database: Database, jobs: readonly Job[], data: WriterData): readonly JobResult[] {
  try {
    return database.transaction(() => {
      const commit = new Commit(database);
      return jobs.map(job => inSavepoint(database, commit, () => run(database, job, commit, data)));
    });
  } catch (error) {
    return jobs.map(() => ({ kind: 'failed', error }));
  }
}

function inSavepoint(database: Database, commit: Commit, work: () => JobResult): JobResult {
  database.run('SAVEPOINT job');
  try {
    const result = work();
    commit.keep();
    database.run('RELEASE job');
    return result;
  } catch (error) {
    database.run('ROLLBACK TO job');
    database.run('RELEASE job');
    commit.forget();
    return error instanceof JobStopped ? error.result : { kind: 'failed', error };
  }
}

function run(database: Database, job: Job, commit: Commit, data: WriterData): JobResult {
  switch (job.kind) {
    case 'document':
      return document(database, job);
    case 'hidePartition':
      return hidePartition(database, job);
    case 'sweep':
      return sweep(database, data.path, job.now);
    case 'dropBytes':
      dropLoose(database, data.path, job.folder, job.names, job.before);
      return { kind: 'done', value: null };
    case 'register':
      // Asked inside of the transaction: a server that starts now registers its own definitions after this one.
      if (data.mode === 'command' && !isRegistered(database, data) && serverRuns(data.path))
        return {
          kind: 'refused',
          message: `A server runs on \`${data.path}\` with other definitions or another public URL; use the same ones, or stop it first`,
        };
      return epochOf(database) === job.epoch ? register(database, job, data.definitions) : { kind: 'stale' };
    case 'notes':
      return keepNotes(database, job);
    case 'write':
    case 'restore':
    case 'rebuild':
      if (!isRegistered(database, data)) return { kind: 'unregistered' };
      if (epochOf(database) !== job.epoch) return { kind: 'stale' };
      if (job.kind === 'write') return write(database, job, commit, data.path);
      return job.kind === 'restore' ? restore(database, job, commit, data.path) : rebuild(database, job);
    case 'addPartition':
      return isRegistered(database, data) ? addPartition(database, job) : { kind: 'unregistered' };
    case 'restart':
      return isRegistered(database, data) ? restart(database, job) : { kind: 'unregistered' };
    default:
      return job satisfies never;
  }
}

function isRegistered(database: Database, { definitions }: WriterData): boolean {
  return database.get(`SELECT value FROM meta WHERE key = 'definitions'`)?.[0] === definitions;
}

function epochOf(database: Database): number {
  return Number(database.get(`SELECT value FROM meta WHERE key = 'epoch'`)?.[0]);
}
