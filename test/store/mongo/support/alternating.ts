import { setTimeout } from 'node:timers/promises';
import { openMongoStore } from '../../../../src/store/mongo/store.ts';
import { IndexPending } from '../../../../src/store/port/errors.ts';
import type { Partition } from '../../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../../src/store/port/store.ts';

/** How old may be what a process knows of partitions and of indexes that are ready, in milliseconds. */
const age = 1_100;

/**
 * Two stores of one database as one: each call goes to the other one than the call before. Nothing is held by a process
 * that the other would need, but for what may be a second old: where an index has just become ready, that is waited
 * for.
 */
export async function openAlternating(url: string, options: StoreOptions): Promise<Store> {
  const stores = [await openMongoStore(url, options), await openMongoStore(url, options)] as const;
  const indexes = alternating(stores.map(store => store.indexes));
  return override(alternating(stores), {
    async partition(id: string): Promise<Partition | undefined> {
      const found = (await Promise.all(stores.map(store => store.partition(id)))).filter(one => one !== undefined);
      return found.length < stores.length ? undefined : patient(alternating(found), indexes);
    },
    partitions: alternating(stores.map(store => store.partitions)),
    close: async (): Promise<void> => void (await Promise.all(stores.map(store => store.close()))),
  });
}

function patient(partition: Partition, indexes: Store['indexes']): Partition {
  const isPending = async (type: string): Promise<boolean> =>
    (await indexes.status({ partition: partition.id, type, state: 'pending' })).length > 0;
  const again = async <T>(type: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof IndexPending) || (await isPending(type))) throw error;
      await setTimeout(age);
      return ask();
    }
  };
  return override(partition, {
    search: (type, search) => again(type, () => partition.search(type, search)),
    count: (type, query) => again(type, () => partition.count(type, query)),
  });
}

/** Takes each property of another one of these than the property before. */
function alternating<T extends object>(of: readonly T[]): T {
  const [first] = of;
  if (first === undefined) throw new Error('There is nothing to take in turns');
  let turn = 0;
  return new Proxy(first, {
    get(_, name) {
      const one = of[turn++ % of.length] ?? first;
      const value: unknown = Reflect.get(one, name, one);
      return typeof value === 'function' ? value.bind(one) : value;
    },
  });
}

function override<T extends object>(of: T, with_: Partial<T>): T {
  return new Proxy(of, { get: (target, name) => Reflect.get(name in with_ ? with_ : target, name) });
}
