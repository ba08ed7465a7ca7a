import { DeadlinePassed, StoreBusy } from '../port/errors.ts';
import type { DatabaseIndex, IndexState } from '../port/indexes.ts';
import { type IndexDriver, pendingIn } from '../upkeep/indexes.ts';
import { type Core, partitionIndex, submit } from './core.ts';
import { coreIn } from './defining.ts';
import { orderCode } from './declared-indexes.ts';
import { paramOf, type PartitionIndex } from './dictionary.ts';
import { rebuildSlice } from './rebuild.ts';
import { resourcesOf } from './source.ts';
import { verifyType } from './verify-indexes.ts';

export function sqliteIndexes(core: Core): IndexDriver<PartitionIndex> {
  const { database } = core;
  const driver: IndexDriver<PartitionIndex> = {
    options: () => core.options,
    async within({ id }) {
      const own = await coreIn(core, id);
      return own === core ? driver : sqliteIndexes(own);
    },
    partition: async id => partitionIndex(core, id),
    async partitions() {
      const rows = database.all('SELECT id FROM partitions WHERE id IS NOT NULL ORDER BY id');
      return rows.flatMap(([id]) => partitionIndex(core, String(id)) ?? []);
    },
    states: async ({ id }, { name }) => statesOf(core, id, name),
    pending: async (id, { name }) => pendingOf(core, id, name),
    verify: ({ id }, { name }) => verifyType(core, id, name),
    async restart({ id }, { name }, params) {
      const index = partitionIndex(core, id)?.types.get(name);
      if (index === undefined) return;
      const codes =
        params &&
        [...index.indexes.keys()].filter(code => code !== orderCode && params.includes(paramOf(code, index.type)));
      await submit(core, () => ({ kind: 'restart', t: index.t, codes }));
    },
    rebuildSlice: async ({ id }, { name }) => ((await rebuildSlice(core, id, name)) ? 'more' : 'done'),
    async pendingTypes() {
      const rows = database.all(
        `SELECT DISTINCT partitions.id, types.type FROM parameters JOIN types USING (t) JOIN partitions ` +
          `USING (n) WHERE state = 'pending' AND partitions.id IS NOT NULL`,
      );
      return rows.flatMap(([id, name]) => {
        const partition = partitionIndex(core, String(id));
        const type = partition?.types.get(String(name))?.type;
        return partition === undefined || type === undefined ? [] : [[partition, type] as const];
      });
    },
    // The tables have their indexes from the start.
    database: async ({ sizes = false } = {}) => (sizes ? indexSizes(core) : []),
  };
  return driver;
}

/** The parameters of a type that cannot be searched yet, with the progress of their rebuild. */
function pendingOf(core: Core, partition: string, type: string): readonly IndexState[] {
  const index = partitionIndex(core, partition)?.types.get(type);
  if (index === undefined || index.planned.areReady) return [];
  return pendingIn(index.type, statesOf(core, partition, type));
}

/** The states by parameter: the order of a type belongs to one, and so do components. */
function statesOf(core: Core, partition: string, type: string): readonly IndexState[] {
  const index = partitionIndex(core, partition)?.types.get(type);
  if (index === undefined) return [];
  const of = resourcesOf(core.database, index.t);
  const states = new Map<string, IndexState>();
  for (const { code, p, ready } of index.indexes.values()) {
    const param = paramOf(code, index.type);
    const done = ready ? of : Number(core.database.get('SELECT done FROM parameters WHERE p = ?', [p])?.[0] ?? 0);
    const known = states.get(param);
    if (known?.state === 'pending' && (ready || known.done <= done)) continue;
    states.set(param, { partition, type, param, state: ready ? 'ready' : 'pending', done, of });
  }
  return [...states.values()];
}

/**
 * The indexes of the file with their sizes: the tables of search entries with their indexes, and the indexes of records
 * and versions. One after the other, in a thread: each page is read, some gigabytes a second from memory. The size of
 * one that takes longer than a search may is undefined.
 */
async function indexSizes({ database, readers }: Core): Promise<readonly DatabaseIndex[]> {
  const sizes: DatabaseIndex[] = [];
  for (const [collection, name] of database.all(trees)) {
    const bytes = await readers
      .ask({ kind: 'bytes', tree: String(name) })
      .then(answer => (answer.kind === 'bytes' ? answer.bytes : undefined))
      .catch((error: unknown) => {
        if (error instanceof DeadlinePassed || error instanceof StoreBusy) return undefined;
        throw error;
      });
    sizes.push({ collection: String(collection), name: String(name), state: 'ready', bytes });
  }
  return sizes;
}

/** Entries are in tables without other data; those of full text are in tables of FTS5 (words-table.ts). */
const trees = `SELECT tbl_name, name FROM sqlite_schema WHERE rootpage > 0 AND (tbl_name IN
  ('terms', 'strings', 'ranges', 'sorts', 'words_data', 'words_idx', 'words_docsize')
  OR (type = 'index' AND tbl_name IN ('resources', 'versions'))) ORDER BY tbl_name, name`;
