import type { DefiningPartition, StoreDefinitions } from '../port/definitions.ts';
import { type Core, epochFor, partitionIndex, submit } from './core.ts';
import { wantedOfStored } from './declared-indexes.ts';
import { parseSettings, type PartitionIndex, readEpoch } from './dictionary.ts';
import type { SqlValue } from './sql.ts';

/**
 * The core with the definitions of a partition: that of the store, unless records of the partition are definitions.
 * What is wrong in these does not fail it.
 */
export async function coreIn(core: Core, id: string): Promise<Core> {
  const { above } = core.options;
  const found = above === undefined ? undefined : partitionIndex(core, id);
  if (above === undefined || found === undefined || found.changes === 0) return core;
  const definitions = await above(definingPartition(core, found));
  const known = cores.get(definitions);
  if (known?.below === core && known.changes === found.changes) return known;
  const made: Core = {
    ...core,
    options: { ...core.options, ...definitions, above: undefined },
    known: new Map(),
    below: core,
    changes: found.changes,
  };
  cores.set(definitions, made);
  return made;
}

/** The cores of partitions, by their definitions. */
const cores = new WeakMap<StoreDefinitions, Core>();

/** Records of a type that are read at a time. */
const pageSize = 100;

function definingPartition({ database }: Core, { id, n, changes, types }: PartitionIndex): DefiningPartition {
  const columns = 'SELECT id, version, last_updated, text FROM resources WHERE t = ? AND ord IS NOT NULL AND';
  const textOf = (type: string, [key, version, lastUpdated, text]: readonly SqlValue[]) => ({
    type,
    id: String(key),
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: String(text),
  });
  const numberOf = (type: string): number => types.get(type)?.t ?? 0;
  return {
    id,
    changes,
    read: async keys =>
      keys.flatMap(({ type, id: key }) =>
        database.all(`${columns} id = ?`, [numberOf(type), key]).map(row => textOf(type, row)),
      ),
    page: async (type, after) =>
      database
        .all(`${columns} id > ? ORDER BY id LIMIT ${pageSize}`, [numberOf(type), after])
        .map(row => textOf(type, row)),
    lastChanges: async () =>
      parseSettings(database.get('SELECT settings FROM partitions WHERE n = ?', [n])?.[0] ?? '{}').last,
  };
}

/** Makes the indexes of the parameters that are records of a partition those that its definitions need. */
export async function registerStored(core: Core, id: string): Promise<void> {
  await submit(core, async latest => {
    const own = await coreIn(latest, id);
    const found = partitionIndex(own, id);
    if (found === undefined) return { kind: 'define', epoch: readEpoch(own.database), n: 0, types: [] };
    const types = wantedOfStored(own.options.model, found.settings.zone);
    return { kind: 'define', epoch: epochFor(own, found), n: found.n, types };
  });
}

/** Does so for all partitions whose definitions have changed since; for a server, periodically. */
export function storedRegistration(): (core: Core) => Promise<boolean> {
  const done = new Map<string, StoreDefinitions['model']>();
  return async core => {
    for (const [key] of core.database.all(`SELECT id FROM partitions WHERE id IS NOT NULL`)) {
      const id = String(key);
      if ((partitionIndex(core, id)?.changes ?? 0) === 0) continue;
      const { model } = (await coreIn(core, id)).options;
      if (done.get(id) === model) continue;
      await registerStored(core, id);
      done.set(id, model);
      return true;
    }
    return false;
  };
}
