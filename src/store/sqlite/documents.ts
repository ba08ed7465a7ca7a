import type { DocumentStore, PutOptions } from '../port/documents.ts';
import { type Core, submit, valueOf } from './core.ts';
import { pages } from './notes.ts';

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

  async put(key: string, value: unknown, { expires, ifAbsent = false }: PutOptions = {}): Promise<unknown> {
    return JSON.parse(String(await this.#change(ifAbsent ? 'putIfAbsent' : 'put', key, value, expires)));
  }

  async delete(key: string): Promise<void> {
    await this.#change('delete', key, null, undefined);
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

  async #change(how: 'put' | 'putIfAbsent' | 'delete', key: string, value: unknown, expires: number | undefined) {
    const job = { kind: 'document', how, collection: this.#collection, key, value: JSON.stringify(value) } as const;
    return valueOf(
      await submit(this.#core, () => ({ ...job, expires: expires ?? null, now: this.#core.options.now() })),
    );
  }
}
