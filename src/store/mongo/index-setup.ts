import { collectionIndexes } from './collection-indexes.ts';
import { typesKept } from './collections.ts';
import { type Core, resources } from './core.ts';

/** Makes the indexes of declared types that have no collection yet: on empty collections that takes no time. */
export async function makeNewIndexes(core: Core): Promise<void> {
  const known = new Set(await typesKept(core.database));
  const types = [...core.options.model.types.values()].filter(({ name }) => !known.has(name));
  await Promise.all(types.map(type => makeIndexes(core, type)));
}

async function makeIndexes(core: Core, type: Parameters<typeof collectionIndexes>[0]): Promise<void> {
  await resources(core, type.name).createIndexes([...collectionIndexes(type, core.deployment)]);
}
