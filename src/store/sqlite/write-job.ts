import { stamp } from '../../fhir/resource-text.ts';
import type { Commit } from './commit.ts';
import { attach } from './attach-job.ts';
import { JobStopped } from './job-stopped.ts';
import type { JobResult, PreparedChange, WriteJob, Written } from './jobs.ts';
import { earlier, keepKey } from './key-job.ts';
import { keepMark } from './mark-job.ts';
import { matchesNow } from './no-match.ts';
import type { Database } from './open.ts';
import { RowWriter } from './row-writer.ts';

/**
 * Applies the changes of a job in order, unless its key was used before. Stops it with `conflict` or `several` where a
 * precondition fails, and with `stale` where a resource is no longer at the version from which its change was prepared.
 */
export function write(database: Database, job: WriteJob, commit: Commit, file: string): JobResult {
  const first = earlier(database, job);
  if (first !== undefined) return first;
  const rows = new RowWriter(database);
  const work: Work = { database, job, commit, file, rows };
  const seen = new Set<string>();
  const results: Written[] = [];
  for (const change of job.changes) {
    const key = `${change.t}/${change.id}`;
    if (seen.has(key)) {
      rows.flush();
      seen.clear();
    }
    seen.add(key);
    results.push(matching(work, change, results) ?? apply(work, change));
  }
  rows.flush();
  keepMark(database, job.n, job.mark);
  keepKey(database, job, results);
  return { kind: 'written', repeated: false, results };
}

interface Work {
  readonly database: Database;
  readonly job: WriteJob;
  readonly commit: Commit;
  /** The file of the store, beside which the bytes lie. */
  readonly file: string;
  readonly rows: RowWriter;
}

/** The result where a `no-match` finds one; nothing else is then done. */
function matching(
  { database, rows }: Work,
  { t, type, precondition }: PreparedChange,
  before: readonly Written[],
): Written | undefined {
  if (precondition?.is !== 'no-match') return undefined;
  rows.flush();
  const ids = matchesNow(database, t, precondition);
  if (ids === undefined && before.every(([outcome]) => outcome === 'unchanged' || outcome === 'matched'))
    throw new JobStopped({ kind: 'stale' });
  if (ids === undefined) throw new Error('Whether something matches depends on what the same write did before');
  const [id, other] = ids;
  if (other !== undefined) throw new JobStopped({ kind: 'several', type });
  if (id === undefined) return undefined;
  const [version, lastUpdated] =
    database.get('SELECT version, last_updated FROM resources WHERE t = ? AND id = ?', [t, id]) ?? [];
  return ['matched', id, Number(version), Number(lastUpdated)];
}

/** The current version of a resource. */
interface Current {
  readonly r: number;
  readonly version: number;
  readonly lastUpdated: number;
  /** Null for a tombstone. */
  readonly ord: number | null;
}

function apply({ database, job, commit, file, rows }: Work, change: PreparedChange): Written {
  const current = currentOf(database, change);
  const isThere = current !== undefined && current.ord !== null;
  const { precondition } = change;
  if (precondition !== undefined) {
    const holds = precondition.is !== 'version' ? !isThere : isThere && current.version === precondition.version;
    if (!holds) throw new JobStopped({ kind: 'conflict', type: change.type, id: change.id });
  }
  if (change.expected !== (current?.version ?? 0)) throw new JobStopped({ kind: 'stale' });
  if (change.same || (change.text === undefined && !isThere))
    return ['unchanged', change.id, current?.version ?? 0, current?.lastUpdated ?? 0];

  const version = (current?.version ?? 0) + 1;
  const lastUpdated = commit.lastUpdated(job.n, job.now);
  if (current !== undefined)
    database.run(
      'INSERT INTO versions (t, id, version, last_updated, text) SELECT t, id, version, last_updated, text FROM resources WHERE r = ?',
      [current.r],
    );
  if (change.removed !== undefined && current !== undefined && current.ord !== null)
    rows.remove(change.removed, current.ord, change.id);
  if (change.text === undefined) {
    database.run('UPDATE resources SET version = ?, last_updated = ?, ord = NULL, text = NULL WHERE r = ?', [
      version,
      lastUpdated,
      current?.r ?? 0,
    ]);
    commit.count(change.t, -1);
    return ['removed', change.id, version, lastUpdated];
  }
  const ord = change.ord ?? lastUpdated;
  const text = change.text.before + stamp(version, lastUpdated) + change.text.after;
  const r = put(database, change, current, version, lastUpdated, ord, text);
  if (change.added !== undefined) rows.add(change.added, ord, change.id, r);
  attach(database, file, job.n, change, version);
  if (!isThere) commit.count(change.t, 1);
  return [isThere ? 'updated' : 'created', change.id, version, lastUpdated];
}

function currentOf(database: Database, { t, id }: PreparedChange): Current | undefined {
  const row = database.get('SELECT r, version, last_updated, ord FROM resources WHERE t = ? AND id = ?', [t, id]);
  if (row === undefined) return undefined;
  const [r, version, lastUpdated, ord] = row;
  return {
    r: Number(r),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    ord: ord === null ? null : Number(ord),
  };
}

function put(
  database: Database,
  { t, id }: PreparedChange,
  current: Current | undefined,
  ...[version, lastUpdated, ord, text]: readonly [version: number, lastUpdated: number, ord: number, text: string]
): number {
  if (current === undefined)
    return database.run('INSERT INTO resources (t, id, version, last_updated, ord, text) VALUES (?, ?, ?, ?, ?, ?)', [
      t,
      id,
      version,
      lastUpdated,
      ord,
      text,
    ]).rowid;
  database.run('UPDATE resources SET version = ?, last_updated = ?, ord = ?, text = ? WHERE r = ?', [
    version,
    lastUpdated,
    ord,
    text,
    current.r,
  ]);
  return current.r;
}
