import type { IndexDriver } from '../upkeep/indexes.ts';
import { parameters, partitionsOf } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { dropUnused, indexesOfDatabase, indexSizes } from './database-indexes.ts';
import { wantedIndexes } from './declared-indexes.ts';
import { coreIn, currentPartition } from './defining.ts';
import { atLength, withPortErrors, withPortErrorsEach } from './failures.ts';
import { parameterId, pendingOf, statesOf } from './parameters.ts';
import { rebuildSlice } from './rebuild.ts';
import { withOurDefinitions } from './register.ts';
import { verifyType } from './verify-indexes.ts';

export function mongoIndexes(core: Core): IndexDriver<PartitionInfo> {
  const writing = <T>(work: () => Promise<T>): Promise<T> =>
    withPortErrors(core, () => withOurDefinitions(core.below ?? core, work));
  const driver: IndexDriver<PartitionInfo> = {
    options: () => core.options,
    async within(partition) {
      const own = await atLength(core, () => coreIn(core, partition));
      return own === core ? driver : mongoIndexes(own);
    },
    partition: id => atLength(core, () => currentPartition(core, id)),
    partitions: () => atLength(core, () => partitionsOf(core.database)),
    states: (partition, type) => atLength(core, () => statesOf(core, partition, type)),
    pending: (id, type) =>
      withPortErrors(core, async () => {
        const partition = await core.registry.partition(id);
        return partition === undefined ? [] : pendingOf(core, partition, type);
      }),
    verify: (partition, type) => withPortErrorsEach(core, () => verifyType(core, partition, type)),
    restart: ({ p, settings }, type, codes = wantedIndexes(type, settings.zone).map(({ code }) => code)) =>
      writing(async () => {
        await parameters(core.database).updateMany(
          { _id: { $in: codes.map(code => parameterId(p, type.name, code)) } },
          { $set: { state: 'pending', after: '', done: 0, anew: true } },
        );
        core.registry.forget();
      }),
    rebuildSlice: (partition, type) => atLength(core, () => rebuildSlice(core, partition, type)),
    pendingTypes: () =>
      atLength(core, async () => {
        const kept = await parameters(core.database).distinct('_id', { state: 'pending' });
        if (kept.length === 0) return [];
        const places = new Set(kept.map(_id => _id.split('/').slice(0, 2).join('/')));
        const types = [...core.options.model.types.values()];
        const all = (await partitionsOf(core.database)).flatMap(partition =>
          types.map(type => [partition, type] as const),
        );
        return all.filter(([{ p }, { name }]) => places.has(`${p}/${name}`));
      }),
    database: async ({ drop = false, sizes = false } = {}) => {
      const differing = await (drop
        ? writing(() => dropUnused(core))
        : withPortErrors(core, () => indexesOfDatabase(core)));
      return sizes ? withPortErrors(core, () => indexSizes(core, differing)) : differing;
    },
  };
  return driver;
}
