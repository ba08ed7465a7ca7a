import type { Mark, WriteResult } from '../port/records.ts';
import { firstOutcome } from '../record/changes.ts';
import { valueDigest } from '../record/digest.ts';
import type { Job, JobResult, NotesJob, WriteJob, Written } from './jobs.ts';
import type { Database } from './open.ts';
import type { SqlValue } from './sql.ts';

type Earlier = Extract<JobResult, { kind: 'written' | 'keyUsed' }>;

/** The earlier use of the key of a write: its first results, or that its body was another. Undefined if it is free. */
export function earlier(database: Database, { n, key, now }: Pick<WriteJob, 'n' | 'key' | 'now'>): Earlier | undefined {
  if (key === undefined) return undefined;
  const [body, results] =
    database.get('SELECT body, results FROM keys WHERE n = ? AND key = ? AND expires > ?', [n, key.key, now]) ?? [];
  if (body === undefined) return undefined;
  return body === key.body
    ? { kind: 'written', repeated: true, results: JSON.parse(String(results)) }
    : { kind: 'keyUsed' };
}

/** The results of a write; `repeated`: of an earlier one with its key. */
export function resultsOf(written: readonly Written[], repeated: boolean): readonly WriteResult[] {
  return written.map(([outcome, id, version, lastUpdated]) => {
    const result = { id, version, lastUpdated };
    return repeated ? { outcome: 'repeated', first: outcome, ...result } : { outcome, ...result };
  });
}

/** Stores the results of a write with its key. */
export function keepKey(
  database: Database,
  { n, key }: Pick<WriteJob, 'n' | 'key'>,
  results: readonly Written[],
): void {
  if (key === undefined) return;
  const row = [n, key.key, key.body, JSON.stringify(results), key.expires];
  keep(database, 'keys (n, key, body, results, expires, digest)', row);
}

/** Writes a mark of a partition. */
export function keepMark(database: Database, n: number, mark: Mark | undefined): void {
  if (mark !== undefined) keep(database, 'marks (n, key, value, digest)', [n, mark.key, mark.value]);
}

/** Done: the stored value afterwards. */
export function document(database: Database, job: Extract<Job, { kind: 'document' }>): JobResult {
  const { how, collection, key, value, replaces, expires, now } = job;
  if (how === 'putIfAbsent' || how === 'replace') {
    const [found, until = null] =
      database.get('SELECT value, expires FROM documents WHERE collection = ? AND key = ?', [collection, key]) ?? [];
    const kept = until === null || Number(until) > now ? found : undefined;
    if (how === 'putIfAbsent' ? kept !== undefined : kept !== replaces) return { kind: 'done', value: kept ?? null };
  }
  if (how === 'delete') database.run('DELETE FROM documents WHERE collection = ? AND key = ?', [collection, key]);
  else keepDocument(database, [collection, key, value, expires]);
  return { kind: 'done', value };
}

/** `row`: collection, key, JSON, expiry. */
export function keepDocument(database: Database, row: readonly [string, string, string, number | null]): void {
  keep(database, 'documents (collection, key, value, expires, digest)', row);
}

/** Stores documents, marks and keys of another store, replacing existing ones. */
export function keepNotes(database: Database, { notes, numbers }: NotesJob): JobResult {
  for (const note of notes) {
    if (note.kind === 'document') {
      keepDocument(database, [note.collection, note.key, JSON.stringify(note.value), note.expires ?? null]);
      continue;
    }
    const n = numbers.get(note.partition) ?? 0;
    if (note.kind === 'mark') keepMark(database, n, note.mark);
    else {
      const results = note.results.map((one): Written => [firstOutcome(one), one.id, one.version, one.lastUpdated]);
      keepKey(database, { n, key: note.key }, results);
    }
  }
  return { kind: 'done', value: null };
}

/** Writes a row with its digest, which is the last column, and replaces one with the same key. */
function keep(database: Database, columns: string, row: readonly SqlValue[]): void {
  const marks = '?, '.repeat(row.length);
  database.run(`INSERT OR REPLACE INTO ${columns} VALUES (${marks}?)`, [...row, valueDigest(row)]);
}
