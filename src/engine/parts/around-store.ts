import type { Partition } from '../../store/port/partitions.ts';
import type { Store } from '../../store/port/store.ts';
import type { DocumentStore } from '../../store/port/documents.ts';

/** Runs a call of the store, which is named by its method: to measure it, or to trace it. */
export type AroundCall = <T>(operation: string, call: () => Promise<T>) => Promise<T>;

/** The measured methods; those that return their results one by one are not, since their caller sets the pace. */
const ofPartition: readonly (keyof Partition)[] = [
  'read',
  'readMany',
  'search',
  'count',
  'types',
  'write',
  'putAttachment',
  'attachment',
  'moment',
];
const ofDocuments: readonly (keyof DocumentStore)[] = ['get', 'put', 'delete'];

/** Wraps a store: it has `around` for each call of its partitions and documents. */
export function aroundStore(store: Store, around: AroundCall): Store {
  return withCalls(store, {
    partition: bound => async id => {
      const found = await around('partition', () => bound(id));
      return found && withCalls(found, Object.fromEntries(ofPartition.map(name => [name, surround(name, around)])));
    },
    documents: bound => collection =>
      withCalls(
        bound(collection),
        Object.fromEntries(ofDocuments.map(name => [name, surround(`document ${name}`, around)])),
      ),
  });
}

// Methods of any type are passed on with the arguments that the caller gave.
type Method = (...values: any[]) => any; // oxlint-disable-line typescript/no-explicit-any

const surround =
  (operation: string, around: AroundCall): ((bound: Method) => Method) =>
  bound =>
  (...values) =>
    around(operation, async () => bound(...values));

/** Wraps an object: it has other methods, each made from the original one; the rest is unchanged. */
function withCalls<T extends object>(target: T, methods: { readonly [K in keyof T]?: (bound: Method) => Method }): T {
  return new Proxy(target, {
    get(of, key: keyof T & (string | symbol)) {
      const value: unknown = Reflect.get(of, key);
      if (typeof value !== 'function') return value;
      const bound: Method = value.bind(of); // the methods use private properties
      return methods[key]?.(bound) ?? bound;
    },
  });
}
