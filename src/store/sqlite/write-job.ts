import { stamp } from '../../fhir/resource-text.ts';
import type { Commit } from './commit.ts';
import type { JobResult, PreparedChange, WriteJob } from './jobs.ts';
import { outcomes } from './jobs.ts';
import type { Database } from './open.ts';
import { RowWriter } from './row-writer.ts';

type Outcome = readonly [outcome: number, version: number, lastUpdated: number];

/** Thrown inside the savepoint of a job, to undo it. */
export class JobStopped extends Error {
  readonly result: JobResult;
  constructor(result: JobResult) {
    super(result.kind);
    this.result = result;
  }
}

/**
 * Applies the changes of a job in order. Stops it with `conflict` where a precondition fails, and with `stale` where a
 * resource is no longer at the version from which its change was prepared.
 */
export function write(database: Database, job: WriteJob, commit: Commit): JobResult {
  const rows = new RowWriter(database);
  const seen = new Set<string>();
  const results: Outcome[] = [];
  for (const change of job.changes) {
    const key = `${change.t}/${change.id}`;
    if (seen.has(key)) {
      rows.flush();
      seen.clear();
    }
    seen.add(key);
    results.push(apply(database, change, rows, commit, job));
  }
  rows.flush();
  if (job.mark !== undefined)
    database.run('INSERT OR REPLACE INTO marks (n, key, value) VALUES (?, ?, ?)', [
      job.n,
      job.mark.key,
      job.mark.value,
    ]);
  return { kind: 'written', results };
}

/** The current version of a resource. */
interface Current {
  readonly r: number;
  readonly version: number;
  readonly lastUpdated: number;
  /** Null for a tombstone. */
  readonly ord: number | null;
}

function apply(database: Database, change: PreparedChange, rows: RowWriter, commit: Commit, job: WriteJob): Outcome {
  const current = currentOf(database, change);
  const isThere = current !== undefined && current.ord !== null;
  const { precondition } = change;
  if (precondition !== undefined) {
    const holds = precondition.is === 'absent' ? !isThere : isThere && current.version === precondition.version;
    if (!holds) throw new JobStopped({ kind: 'conflict', type: change.type, id: change.id });
  }
  if (change.expected !== (current?.version ?? 0)) throw new JobStopped({ kind: 'stale' });
  if (change.same || (change.text === undefined && !isThere))
    return [outcomes.indexOf('unchanged'), current?.version ?? 0, current?.lastUpdated ?? 0];

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
    return [outcomes.indexOf('removed'), version, lastUpdated];
  }
  const ord = change.ord ?? lastUpdated;
  const text = change.text.before + stamp(version, lastUpdated) + change.text.after;
  const r = put(database, change, current, version, lastUpdated, ord, text);
  if (change.added !== undefined) rows.add(change.added, ord, change.id, r);
  if (!isThere) commit.count(change.t, 1);
  return [outcomes.indexOf(isThere ? 'updated' : 'created'), version, lastUpdated];
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
      ...[t, id, version, lastUpdated, ord, text],
    ]).rowid;
  database.run('UPDATE resources SET version = ?, last_updated = ?, ord = ?, text = ? WHERE r = ?', [
    ...[version, lastUpdated, ord, text, current.r],
  ]);
  return current.r;
}
