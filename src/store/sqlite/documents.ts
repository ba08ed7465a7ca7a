import { setImmediate } from 'node:timers/promises';
import type { DocumentStore, PutOptions } from '../port/documents.ts';
import type { Note } from '../port/transfer.ts';
import { type Core, partitionIndex, submit, valueOf } from './core.ts';
import type { Job, NotesJob } from './jobs.ts';
import { resultsOf } from './note-jobs.ts';
import type { Database, Row } from './open.ts';
import type { SqlValue } from './sql.ts';

export class SqliteDocuments implements DocumentStore {
  readonly #core: Core;
  readonly #collection: string;

  constructor(core: Core, collection: string) {
    this.#core = core;
    this.#collection = collection;
  }

  async get(key: string): Promise<unknown> {
    const row = this.#core.database.get(
      'SELECT value FROM documents WHERE collection = ? AND key = ? AND (expires IS NULL OR expires > ?)',
      [this.#collection, key, this.#core.options.now()],
    );
    return row === undefined ? undefined : JSON.parse(String(row[0]));
  }

  async put(key: string, value: unknown, options: PutOptions = {}): Promise<unknown> {
    const { ifAbsent = false, replaces } = options;
    const how = replaces !== undefined ? 'replace' : ifAbsent ? 'putIfAbsent' : 'put';
    const kept = await this.#change(how, key, value, options);
    return kept === null ? undefined : JSON.parse(String(kept));
  }

  async delete(key: string): Promise<void> {
    await this.#change('delete', key, null);
  }

  async *list(after = ''): AsyncIterable<{ readonly key: string; readonly value: unknown }> {
    const { database, options } = this.#core;
    const rows = pages(database, {
      select: 'key, value FROM documents WHERE collection = ? AND (expires IS NULL OR expires > ?)',
      key: 'key',
      first: [after],
      values: [this.#collection, options.now()],
    });
    for await (const [key, value] of rows) yield { key: String(key), value: JSON.parse(String(value)) };
  }

  async #change(
    how: Extract<Job, { kind: 'document' }>['how'],
    key: string,
    value: unknown,
    { expires, replaces }: PutOptions = {},
  ) {
    const job = {
      kind: 'document',
      how,
      collection: this.#collection,
      key,
      value: JSON.stringify(value),
      ...(replaces === undefined ? {} : { replaces: JSON.stringify(replaces) }),
    } as const;
    return valueOf(
      await submit(this.#core, () => ({ ...job, expires: expires ?? null, now: this.#core.options.now() })),
    );
  }
}

/** Rows after which the event loop gets a turn. */
const noteSlice = 500;

/** Documents, then marks, then keys, without expired ones. */
export async function* keptNotes(database: Database, now: number): AsyncIterable<Note> {
  const documents = pages(database, {
    select: 'collection, key, value, expires FROM documents WHERE (expires IS NULL OR expires > ?)',
    key: 'collection, key',
    first: ['', ''],
    values: [now],
  });
  for await (const [collection, key, value, expires = null] of documents)
    yield {
      kind: 'document',
      collection: String(collection),
      key: String(key),
      value: JSON.parse(String(value)),
      expires: expires === null ? undefined : Number(expires),
    };
  const partitions = database.all('SELECT n, id FROM partitions WHERE id IS NOT NULL ORDER BY id');
  for (const [n = 0, id] of partitions) {
    const partition = String(id);
    const marks = pages(database, {
      select: 'key, value FROM marks WHERE n = ?',
      key: 'key',
      first: [''],
      values: [n],
    });
    for await (const [key, value] of marks)
      yield { kind: 'mark', partition, mark: { key: String(key), value: String(value) } };
    const keys = pages(database, {
      select: 'key, body, results, expires FROM keys WHERE n = ? AND expires > ?',
      key: 'key',
      first: [''],
      values: [n, now],
    });
    for await (const [key, body, results, expires] of keys)
      yield {
        kind: 'key',
        partition,
        key: { key: String(key), body: String(body), expires: Number(expires) },
        results: resultsOf(JSON.parse(String(results)), false),
      };
  }
}

/** Rows in the order of a key whose columns come first. */
export async function* pages(
  database: Database,
  of: { select: string; key: string; first: readonly SqlValue[]; values: readonly SqlValue[] },
): AsyncIterable<Row> {
  const width = of.first.length;
  const text =
    `SELECT ${of.select} AND (${of.key}) > (${of.first.map(() => '?').join(', ')}) ORDER BY ` +
    `${of.key} LIMIT ${noteSlice}`;
  for (let after = of.first; ;) {
    const rows = database.all(text, [...of.values, ...after]);
    yield* rows;
    after = rows.at(-1)?.slice(0, width) ?? after;
    if (rows.length < noteSlice) return;
    await setImmediate();
  }
}

/** Prepares notes of another store for writing. Throws Error if their partition does not exist. */
export function prepareNotes(core: Core, notes: readonly Note[]): NotesJob {
  const numbers = new Map<string, number>();
  for (const note of notes) {
    if (note.kind === 'document') continue;
    const index = partitionIndex(core, note.partition);
    if (index === undefined) throw new Error(`There is no partition \`${note.partition}\``);
    numbers.set(note.partition, index.n);
  }
  return { kind: 'notes', notes, numbers };
}
