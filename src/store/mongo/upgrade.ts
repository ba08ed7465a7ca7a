import { createProgressNotice } from '../progress-notice.ts';
import { meta, partitions, readMeta } from './collections.ts';
import type { Core } from './core.ts';
import { statesOf } from './parameters.ts';
import { rebuildSlice } from './rebuild.ts';

/**
 * Finishes the upgrade of an older layout before a server answers: builds all indexes, in slices that store their
 * progress, so that an interrupted upgrade is resumed, by any process. While others with other definitions write, it is
 * left to the background work (background.ts).
 */
export async function finishUpgrade(core: Core): Promise<void> {
  const { database, options } = core;
  if ((await readMeta(database, 'upgrade')) === undefined) return;
  for (const { _id: id, key: p, zone } of await partitions(database).find().sort({ key: 1 }).toArray())
    for (const type of options.model.types.values()) {
      const partition = { id, p, settings: { zone } };
      const pending = async () => (await statesOf(core, partition, type)).filter(({ state }) => state === 'pending');
      const of = (await pending())[0]?.of ?? 0;
      if (of === 0) continue;
      const report = createProgressNotice(options.notice, `Upgrading the records of ${type.name}`, of);
      for (let step = await rebuildSlice(core, partition, type); step !== 'done';) {
        if (step === 'waiting') return;
        report(Math.min(of, ...(await pending()).map(({ done }) => done)));
        step = await rebuildSlice(core, partition, type);
      }
    }
  await meta(database).deleteOne({ _id: 'upgrade' });
}
