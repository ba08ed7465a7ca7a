import type { ResourceType } from '../../model/model.ts';
import { prepareBucket } from './attachment-bucket.ts';
import { attachedIndex, attachingTypes } from './attachment-records.ts';
import { collectionIndexes } from './collection-indexes.ts';
import { typesKept } from './collections.ts';
import { type Core, history, resources } from './core.ts';

/** Makes the indexes of declared types that have no collection yet: on empty collections that takes no time. */
export async function makeNewIndexes(core: Core): Promise<void> {
  const known = new Set(await typesKept(core.database));
  const types = [...core.options.model.types.values()].filter(({ name }) => !known.has(name));
  await Promise.all(types.map(type => makeIndexes(core, type)));
}

/**
 * Makes all indexes that are not there yet; on large collections it takes minutes, beside whatever reads and writes them. Throws
 * where an operation takes longer than the driver waits: the server goes on, and doing it again waits for it again.
 */
export async function makeAllIndexes(core: Core): Promise<void> {
  for (const type of core.options.model.types.values()) await makeIndexes(core, type);
  await prepareBucket(core);
  for (const type of await attachingTypes(core))
    for (const collection of [resources(core, type), history(core, type)])
      await collection.createIndexes([attachedIndex]);
}

async function makeIndexes(core: Core, type: ResourceType): Promise<void> {
  await resources(core, type.name).createIndexes([...collectionIndexes(type, core.deployment)]);
}
