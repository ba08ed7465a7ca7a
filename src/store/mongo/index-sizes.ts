import type { DatabaseIndex } from '../port/indexes.ts';
import { fewAtOnce } from '../record/few-at-once.ts';
import { collectionNames } from './collections.ts';
import type { Core } from './core.ts';
import { atOnce } from './database-indexes.ts';

/**
 * All indexes of the collections of resources with their sizes on disk, from the statistics that the server has anyway.
 * `differing`: those that differ from the definitions; missing ones have no size.
 * https://www.mongodb.com/docs/manual/reference/operator/aggregation/collStats/
 */
export async function indexSizes(core: Core, differing: readonly DatabaseIndex[]): Promise<readonly DatabaseIndex[]> {
  const states = new Map(differing.map(one => [`${one.collection} ${one.name}`, one.state]));
  const names = await collectionNames(core.database);
  const found = await fewAtOnce(
    names.filter(name => /^[A-Z][A-Za-z]*(\.history)?$/.test(name)).toSorted(),
    atOnce,
    async collection =>
      [...(await sizesIn(core, collection))].map(([name, bytes]): DatabaseIndex => {
        return { collection, name, state: states.get(`${collection} ${name}`) ?? 'ready', bytes };
      }),
  );
  return [...found.flat(), ...differing.filter(({ state }) => state === 'missing')];
}

/** By name; the sum of all shards. */
async function sizesIn({ database }: Core, collection: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  const stats = database.collection(collection).aggregate([{ $collStats: { storageStats: {} } }]);
  for await (const { storageStats } of stats)
    for (const [name, bytes] of Object.entries<unknown>(storageStats?.indexSizes ?? {}))
      sizes.set(name, (sizes.get(name) ?? 0) + Number(bytes));
  return sizes;
}
