import type { KeptVersion } from '../port/transfer.ts';
import { recordDigest } from '../record/digest.ts';
import { attachKept } from './attachments.ts';
import { noteDefinitions, raiseEpoch } from './dictionary.ts';
import { type JobResult, JobStopped, type PreparedRestore, type RestoreJob } from './jobs.ts';
import { serverRuns } from './lock.ts';
import { keepMark } from './note-jobs.ts';
import type { Database } from './open.ts';
import { RowWriter } from './row-writer.ts';
import type { Commit } from './write-job.ts';

/**
 * Stores versions unchanged. Stops the job with `stale` if a resource is no longer at the version from which it was
 * prepared, and with `bytesMissing` if an attachment does not exist.
 */
export function restore(database: Database, job: RestoreJob, commit: Commit, file: string): JobResult {
  const rows = new RowWriter(database);
  let latest = 0;
  for (const resource of job.resources) {
    const t = resource.t === 0 ? addType(database, job.n, resource.type) : resource.t;
    if (!resource.declared) dropIndexes(database, t);
    restoreResource({ database, commit, rows, n: job.n, t }, resource);
    for (const version of resource.versions) {
      attachKept(database, file, job.n, { t, id: resource.id, version: version.version }, version.attachments);
      latest = Math.max(latest, version.lastUpdated);
    }
  }
  rows.flush();
  // The next write is later than all restored versions.
  database.run('UPDATE partitions SET last_updated = max(last_updated, ?) WHERE n = ?', [latest, job.n]);
  noteDefinitions(database, job.n, job.defines);
  keepMark(database, job.n, job.mark);
  // A server may have searched for matches: a restored version may be older than its result, so that it must search
  // again.
  if (job.resources.length > 0 && serverRuns(file)) raiseEpoch(database);
  return { kind: 'done', value: null };
}

interface Work {
  readonly database: Database;
  readonly commit: Commit;
  readonly rows: RowWriter;
  readonly n: number;
  readonly t: number;
}

function restoreResource({ database, commit, rows, n, t }: Work, resource: PreparedRestore): void {
  const { id, expected, versions, ord, added, removed, owners } = resource;
  const current = database.get('SELECT r, version, ord FROM resources WHERE t = ? AND id = ?', [t, id]);
  if (Number(current?.[1] ?? 0) !== expected) throw new JobStopped({ kind: 'stale' });
  for (const version of versions) if (version.version < expected) keepOlder(database, n, t, version);
  const newer = versions.filter(({ version }) => version > expected);
  const last = newer.pop();
  if (last === undefined) return;
  for (const version of newer) keepOlder(database, n, t, version);
  const row = [last.version, last.lastUpdated, ord ?? null, last.text ?? null, recordDigest(n, last), owners] as const;
  const wasThere = current !== undefined && current[2] !== null;
  let r: number;
  if (current === undefined) {
    r = database.run(
      'INSERT INTO resources (t, id, version, last_updated, ord, text, digest, owners) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      [t, id, ...row],
    ).rowid;
  } else {
    r = Number(current[0]);
    database.run(
      'INSERT OR IGNORE INTO versions (t, id, version, last_updated, text, digest, owners) ' +
        'SELECT t, id, version, last_updated, text, digest, owners FROM resources WHERE r = ?',
      [r],
    );
    if (removed !== undefined && wasThere) rows.remove(removed, Number(current[2]), id, r);
    database.run(
      'UPDATE resources SET version = ?, last_updated = ?, ord = ?, text = ?, digest = ?, owners = ? WHERE r = ?',
      [...row, r],
    );
  }
  if (added !== undefined && ord !== undefined) rows.add(added, ord, id, r);
  commit.count(t, (ord === undefined ? 0 : 1) - (wasThere ? 1 : 0));
}

function keepOlder(database: Database, n: number, t: number, older: KeptVersion): void {
  const { id, version, lastUpdated, text } = older;
  database.run(
    'INSERT OR IGNORE INTO versions (t, id, version, last_updated, text, digest) VALUES (?, ?, ?, ?, ?, ?)',
    [t, id, version, lastUpdated, text ?? null, recordDigest(n, older)],
  );
}

function addType(database: Database, n: number, type: string): number {
  database.run('INSERT OR IGNORE INTO types (n, type) VALUES (?, ?)', [n, type]);
  return Number(database.get('SELECT t FROM types WHERE n = ? AND type = ?', [n, type])?.[0]);
}

/** Resources of an undeclared type have no entries: its indexes are rebuilt when it is declared again. */
function dropIndexes(database: Database, t: number): void {
  const { changes } = database.run(`UPDATE parameters SET state = 'dropped' WHERE t = ? AND state <> 'dropped'`, [t]);
  if (changes > 0) raiseEpoch(database);
}
