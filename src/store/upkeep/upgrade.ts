import { createProgressNotice } from '../server/progress-notice.ts';
import type { PartitionIdentity } from '../port/partitions.ts';
import type { StoreOptions } from '../port/store.ts';
import type { IndexDriver } from './indexes.ts';

/**
 * Fills all pending indexes before a server answers, in slices that store their progress, so that an interrupted
 * upgrade is resumed. False if processes with other definitions may still write: the background work does the rest.
 */
export async function fillPending<P extends PartitionIdentity>(
  driver: IndexDriver<P>,
  notice: StoreOptions['notice'],
): Promise<boolean> {
  for (const [partition, type] of await driver.pendingTypes()) {
    const pending = async () => (await driver.states(partition, type)).filter(({ state }) => state === 'pending');
    const of = (await pending())[0]?.of ?? 0;
    const report = createProgressNotice(notice, `Upgrading the indexes of ${type.name}`, of);
    const done = async (): Promise<number> => Math.min(of, ...(await pending()).map(one => one.done));
    for (let step = await driver.rebuildSlice(partition, type); step !== 'done';) {
      if (step === 'waiting') return false;
      await report(done);
      step = await driver.rebuildSlice(partition, type);
    }
    await report(of);
  }
  return true;
}
