import { stamp } from '../../fhir/resource-text.ts';
import { holds, isNew } from '../port/conditional.ts';
import { recordDigest } from '../record/digest.ts';
import { attach, attachedTo } from './attachments.ts';
import { noteDefinitions } from './dictionary.ts';
import {
  type JobResult,
  JobStopped,
  type PreparedChange,
  type PreparedRequirement,
  type SubmittedJob,
  type WriteJob,
  type Written,
} from './jobs.ts';
import { earlier, keepDocument, keepKey, keepMark } from './note-jobs.ts';
import type { Database } from './open.ts';
import { matchesNow, referringNow } from './requirements.ts';
import { RowWriter } from './row-writer.ts';

/** The documents with the last moments of partitions, by their ids. */
const momentCollection = 'moments';

/** The time of the last write of a partition, its last moment, and its id. */
const lastOf =
  'SELECT p.last_updated, d.value, p.id FROM partitions p LEFT JOIN documents d ON d.collection = ? AND d.key = p.id ' +
  'WHERE p.n = ?';

/** The shared state of the jobs of one commit: one lastUpdated per partition, and the counts. */
export class Commit {
  readonly #database: Database;
  #stamps = new Map<number, number>();
  #keptStamps = new Map<number, number>();
  #counts = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Later than that of any commit before in the partition, also if the clock goes back. */
  lastUpdated(n: number, now: number): number {
    const known = this.#stamps.get(n);
    if (known !== undefined) return known;
    const [last, moment] = this.#database.get(lastOf, [momentCollection, n]) ?? [];
    const stamp = Math.max(now, Number(last) + 1, Number(moment ?? 0) + 1);
    this.#stamps.set(n, stamp);
    this.#database.run('UPDATE partitions SET last_updated = ? WHERE n = ?', [stamp, n]);
    return stamp;
  }

  /**
   * Ends a moment: commits after this one are later than the result, which is not before `now`, nor before those that
   * have the lastUpdated of this one. It is a document, since the time of the last write is that of a record.
   */
  moment(n: number, now: number): number {
    const [last, before, id] = this.#database.get(lastOf, [momentCollection, n]) ?? [];
    const moment = Math.max(now, Number(last), Number(before ?? 0), this.#stamps.get(n) ?? 0);
    keepDocument(this.#database, [momentCollection, String(id), JSON.stringify(moment), null]);
    return moment;
  }

  count(t: number, difference: number): void {
    this.#counts.set(t, (this.#counts.get(t) ?? 0) + difference);
  }

  /** Writes the counts of a successful job. */
  keep(): void {
    for (const [t, difference] of this.#counts)
      this.#database.run('UPDATE types SET resources = resources + ? WHERE t = ?', [difference, t]);
    this.#counts = new Map();
    this.#keptStamps = new Map(this.#stamps);
  }

  /** Discards the counts and stamps of a job that was undone. */
  forget(): void {
    this.#counts = new Map();
    this.#stamps = new Map(this.#keptStamps);
  }
}

/**
 * Applies the changes of a job in order, unless its key was used before. Stops it with `conflict`, `several` or
 * `required` if a precondition or requirement fails, and with `stale` if a resource is no longer at the version from
 * which its change was prepared. `held` gives the changes of the parts that were sent before the job.
 */
export function write(place: Omit<Work, 'rows'>, held: SubmittedJob['held'] = () => []): JobResult {
  const { database, job } = place;
  const first = earlier(database, job);
  if (first !== undefined) return first;
  for (const requirement of job.requires) requireMet(database, requirement);
  const rows = new RowWriter(database);
  const results: Written[] = [];
  for (const changes of held()) applyAll({ ...place, rows }, changes, results);
  applyAll({ ...place, rows }, job.changes, results);
  noteDefinitions(
    database,
    job.n,
    job.defines.flatMap(([at, type]) => {
      const [outcome, id = ''] = results[at] ?? [];
      return outcome === 'unchanged' || outcome === 'matched' ? [] : [{ type, id }];
    }),
  );
  keepMark(database, job.n, job.mark);
  keepKey(database, job, results);
  return { kind: 'written', repeated: false, results };
}

/** Applies changes in order, and adds their results. */
function applyAll(work: Work, changes: readonly PreparedChange[], results: Written[]): void {
  const seen = new Set<string>();
  for (const change of changes) {
    const key = `${change.t}/${change.id}`;
    if (seen.has(key)) {
      work.rows.flush();
      seen.clear();
    }
    seen.add(key);
    results.push(matching(work, change, results) ?? apply(work, change));
  }
  work.rows.flush();
}

interface Work {
  readonly database: Database;
  readonly job: WriteJob;
  readonly commit: Commit;
  /** The file of the store, beside which the attachments are. */
  readonly file: string;
  readonly rows: RowWriter;
}

/** Stops the job if a requirement does not hold. */
function requireMet(database: Database, requirement: PreparedRequirement): void {
  if (!isMet(database, requirement)) throw new JobStopped({ kind: 'required', type: requirement.type });
}

function isMet(database: Database, requirement: PreparedRequirement): boolean {
  switch (requirement.is) {
    case 'there':
      return isThere(database, requirement.t, requirement.id);
    case 'no-match':
      return (matchesNow(database, requirement.t, requirement) ?? stale()).length === 0;
    case 'unreferred':
      return referringNow(database, requirement).length === 0;
    default:
      return requirement satisfies never;
  }
}

const isThere = (database: Database, t: number, id: string): boolean =>
  database.get('SELECT 1 FROM resources WHERE t = ? AND id = ? AND ord IS NOT NULL', [t, id]) !== undefined;

function stale(): never {
  throw new JobStopped({ kind: 'stale' });
}

/** The result if a `no-match` finds one; nothing else is done then. */
function matching(
  { database, rows }: Work,
  { t, type, precondition }: PreparedChange,
  before: readonly Written[],
): Written | undefined {
  if (precondition?.is !== 'no-match') return undefined;
  rows.flush();
  const ids = matchesNow(database, t, precondition);
  if (ids === undefined && before.every(([outcome]) => outcome === 'unchanged' || outcome === 'matched')) stale();
  if (ids === undefined) throw new Error('Whether something matches depends on an earlier change of the same write');
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

function apply(work: Work, change: PreparedChange): Written {
  if (change.expected === 0 && change.precondition?.is !== 'version' && change.text !== undefined)
    return insert(work, change, change.text);
  const current = currentOf(work.database, change);
  const isThere = current !== undefined && current.ord !== null;
  if (!holds(change.precondition, current?.version ?? 0, isThere))
    throw new JobStopped({ kind: 'conflict', type: change.type, id: change.id });
  if (change.expected !== (current?.version ?? 0)) throw new JobStopped({ kind: 'stale' });
  const { text } = change;
  if (change.same || (text === undefined && !isThere))
    return ['unchanged', change.id, current?.version ?? 0, current?.lastUpdated ?? 0];
  if (current !== undefined) return succeed(work, change, current);
  if (text !== undefined) return insert(work, change, text);
  throw new Error('A resource that does not exist cannot be removed');
}

/** The version after the current one, which is kept. */
function succeed({ database, job, commit, file, rows }: Work, change: PreparedChange, current: Current): Written {
  const { t, type, id, text, added, removed } = change;
  const isThere = current.ord !== null;
  const version = current.version + 1;
  const lastUpdated = commit.lastUpdated(job.n, job.now);
  database.run(
    'INSERT INTO versions (t, id, version, last_updated, text, digest, owners) ' +
      'SELECT t, id, version, last_updated, text, digest, owners FROM resources WHERE r = ?',
    [current.r],
  );
  if (removed !== undefined && current.ord !== null) rows.remove(removed, current.ord, id, current.r);
  const ord = text === undefined ? null : (change.ord ?? current.ord ?? lastUpdated);
  const whole = text === undefined ? undefined : text.before + stamp(version, lastUpdated) + text.after;
  // These are the attachments that `attach` stores.
  const attachments = whole === undefined ? [] : (change.attachments ?? attachedTo(database, t, id, current.version));
  const digest = recordDigest(job.n, { type, id, version, lastUpdated, text: whole, attachments });
  database.run(
    'UPDATE resources SET version = ?, last_updated = ?, ord = ?, text = ?, digest = ?, owners = ? WHERE r = ?',
    [version, lastUpdated, ord, whole ?? null, digest, change.owners, current.r],
  );
  if (ord === null) {
    commit.count(t, -1);
    return ['removed', id, version, lastUpdated];
  }
  if (added !== undefined) rows.add(added, ord, id, current.r);
  attach(database, file, job.n, change, version);
  if (!isThere) commit.count(t, 1);
  return [isThere ? 'updated' : 'created', id, version, lastUpdated];
}

type Text = NonNullable<PreparedChange['text']>;

/** A resource that was prepared as new is not searched before: a key conflict shows that it exists meanwhile. */
function insert({ database, job, commit, file, rows }: Work, change: PreparedChange, parts: Text): Written {
  const { t, type, id, added, attachments = [] } = change;
  const lastUpdated = commit.lastUpdated(job.n, job.now);
  const ord = change.ord ?? lastUpdated;
  const text = parts.before + stamp(1, lastUpdated) + parts.after;
  const digest = recordDigest(job.n, { type, id, version: 1, lastUpdated, text, attachments });
  const { changes, rowid } = database.run(
    'INSERT INTO resources (t, id, version, last_updated, ord, text, digest, owners) ' +
      'VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT (t, id) DO NOTHING',
    [t, id, lastUpdated, ord, text, digest, change.owners],
  );
  if (changes === 0)
    throw new JobStopped(isNew(change.precondition) ? { kind: 'conflict', type, id } : { kind: 'stale' });
  if (added !== undefined) rows.add(added, ord, id, rowid);
  attach(database, file, job.n, change, 1);
  commit.count(t, 1);
  return ['created', id, 1, lastUpdated];
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
