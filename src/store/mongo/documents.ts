import type { DocumentStore, PutOptions } from '../port/documents.ts';
import { documents, insertNew } from './collections.ts';
import type { Core } from './core.ts';
import { withPortErrors, withPortErrorsEach } from './failures.ts';
import type { SmallDocument } from './layout.ts';
import { documentsOf } from './pages.ts';
import { requireWriting } from './register.ts';

export class MongoDocuments implements DocumentStore {
  readonly #core: Core;
  readonly #collection: string;

  constructor(core: Core, collection: string) {
    this.#core = core;
    this.#collection = collection;
  }

  get(key: string): Promise<unknown> {
    return withPortErrors(this.#core, async () => {
      const found = await this.#find(key);
      return found === undefined || this.#isOver(found) ? undefined : JSON.parse(found.value);
    });
  }

  put(key: string, value: unknown, { expires, ifAbsent = false, replaces }: PutOptions = {}): Promise<unknown> {
    return withPortErrors(this.#core, async () => {
      requireWriting(this.#core);
      const fresh = this.#document(key, value, expires);
      if (replaces !== undefined) return this.#replace(key, JSON.stringify(replaces), fresh);
      if (!ifAbsent) {
        await documents(this.#core.database).replaceOne({ _id: fresh._id }, fresh, { upsert: true });
        return JSON.parse(fresh.value);
      }
      for (;;) {
        if (await insertNew(documents(this.#core.database), fresh)) return JSON.parse(fresh.value);
        const found = await this.#find(key);
        if (found === undefined) continue;
        if (!this.#isOver(found)) return JSON.parse(found.value);
        await documents(this.#core.database).deleteOne({ _id: found._id, expires: found.expires ?? 0 });
      }
    });
  }

  delete(key: string): Promise<void> {
    return withPortErrors(this.#core, async () => {
      requireWriting(this.#core);
      await documents(this.#core.database).deleteOne({ _id: this.#id(key) });
    });
  }

  async *list(after = ''): AsyncIterable<{ readonly key: string; readonly value: unknown }> {
    const within = { $gt: this.#id(after), $lt: `${this.#collection}0` }; // 0 follows the slash
    const found = withPortErrorsEach(this.#core, () =>
      documentsOf<SmallDocument>(
        documents(this.#core.database),
        { collection: this.#collection },
        { within, size: 500 },
      ),
    );
    for await (const document of found) {
      if (this.#isOver(document)) continue;
      yield { key: document._id.slice(this.#id('').length), value: JSON.parse(document.value) };
    }
  }

  /** Stores a document in place of one with this JSON; returns the value that is stored afterwards. */
  async #replace(key: string, value: string, { _id, ...fresh }: SmallDocument): Promise<unknown> {
    const isKept = { $or: [{ expires: { $exists: false } }, { expires: { $gt: this.#core.options.now() } }] };
    const { matchedCount } = await documents(this.#core.database).replaceOne({ _id, value, ...isKept }, fresh);
    return matchedCount === 1 ? JSON.parse(fresh.value) : this.get(key);
  }

  #id(key: string): string {
    return `${this.#collection}/${key}`;
  }

  #document(key: string, value: unknown, expires: number | undefined): SmallDocument {
    const document = { _id: this.#id(key), collection: this.#collection, value: JSON.stringify(value) };
    return expires === undefined ? document : { ...document, expires };
  }

  async #find(key: string): Promise<SmallDocument | undefined> {
    return (await documents(this.#core.database).findOne({ _id: this.#id(key) })) ?? undefined;
  }

  #isOver({ expires }: SmallDocument): boolean {
    return expires !== undefined && expires <= this.#core.options.now();
  }
}
