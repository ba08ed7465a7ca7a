import type { Db } from 'mongodb';
import { partitions, readMeta, readPartition } from './collections.ts';
import type { PartitionInfo, Registry } from './core.ts';
import { readyCodes } from './parameters.ts';

/** Maximum age of the cached state of partitions and indexes, in milliseconds. */
export const age = 1_000;

/** The state of partitions and indexes in the store; other processes see a change within a second. */
export function createRegistry(database: Db): Registry {
  const known = {
    partitions: new Recent<PartitionInfo | undefined>(),
    ready: new Recent<ReadonlySet<string>>(),
    definitions: new Recent<string | undefined>(),
  };
  return {
    async partition(id) {
      const found = await known.partitions.get(id, () => readPartition(database, id));
      if (found === undefined) known.partitions.delete(id);
      return found;
    },
    definitions: () =>
      known.definitions.get('', async () => {
        const value = await readMeta(database, 'definitions');
        return value === undefined ? undefined : String(value);
      }),
    ready: (p, type) =>
      known.ready.get(`${p}/${type.name}`, async () => {
        const { zone } = (await partitions(database).findOne({ key: p })) ?? { zone: 'UTC' };
        return new Set(await readyCodes({ database }, { p, settings: { zone } }, type));
      }),
    forget() {
      for (const recent of Object.values(known)) recent.clear();
    },
  };
}

/** Cached values with a maximum age. */
class Recent<T> {
  readonly #values = new Map<string, { readonly value: Promise<T>; readonly since: number }>();

  get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#values.get(key);
    if (known !== undefined && performance.now() - known.since < age) return known.value;
    const fresh = { value: read(), since: performance.now() };
    this.#values.set(key, fresh);
    fresh.value.catch(() => {
      if (this.#values.get(key) === fresh) this.#values.delete(key);
    });
    return fresh.value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
