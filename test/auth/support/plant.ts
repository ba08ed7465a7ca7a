import type { RunningEngine } from '../../../src/engine/engine.ts';
import type { ResourceType } from '../../../src/model/model.ts';
import type { Query } from '../../../src/search/ast.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';

/** Makes a store forget, in its searches or in its counts, of a type or of all, whose records a caller may see. */
export function plantForgetting(method: 'search' | 'count', only?: string): (running: RunningEngine) => () => void {
  return ({ engine: { store } }) => {
    const open = store.partition.bind(store);
    const faulty = (partition: Partition): Partition =>
      new Proxy(partition, {
        get(target, name: keyof Partition) {
          if (name !== method) {
            const value: unknown = target[name];
            return typeof value === 'function' ? (value.bind(target) as unknown) : value;
          }
          return method === 'count'
            ? (type: string, query: Query) => target.count(type, withoutOwner(query))
            : (type: string, search: Parameters<Partition['search']>[1]) =>
                target.search(type, only === undefined || only === type ? forgetting(search) : search);
        },
      });
    Object.assign(store, {
      partition: async (id: string) => {
        const found = await open(id);
        return found && faulty(found);
      },
    });
    return () => Object.assign(store, { partition: open });
  };
}

const forgetting = <S extends { readonly query: Query }>(search: S): S => ({
  ...search,
  query: withoutOwner(search.query),
});

/**
 * Makes a server forget the criteria by which a type is restricted, and every other server of the process whose model
 * was loaded from the same files: the fault must be taken back.
 */
export function plantWithoutCriteria(name: string): (running: RunningEngine) => () => void {
  return ({ engine: { model } }) => {
    const type = model.types.get(name);
    if (type === undefined) throw new Error(`No ${name}`);
    // The types of a model are a Map, which is read-only for its users alone.
    const types = model.types as Map<string, ResourceType>;
    types.set(name, { ...type, accessCriteria: [] });
    return () => types.set(name, type);
  };
}

function withoutOwner(query: Query): Query {
  if (query.kind === 'owner') return { kind: 'all' };
  return query.kind === 'and' || query.kind === 'or' ? { ...query, of: query.of.map(withoutOwner) } : query;
}
