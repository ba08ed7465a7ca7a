import { randomUUID } from 'node:crypto';
import { createBackgroundReport } from '../../store/upkeep/chores.ts';
import { createIndexUsage, type CountUse, usageCollection } from '../../store/server/index-usage.ts';
import type { Store } from '../../store/port/store.ts';
import type { Start } from '../start.ts';

/** How often the uses of indexes are stored, in milliseconds. */
const pause = 5 * 60_000;

/**
 * Counts the uses of indexes by the searches of this process. `store` is called with the opened store: the uses are
 * stored there every few minutes and at the end.
 */
export function startIndexUsage({ now, log, opened }: Pick<Start, 'now' | 'log' | 'opened'>): {
  readonly count: CountUse;
  readonly store: (store: Store) => void;
} {
  const usage = createIndexUsage(randomUUID(), now);
  const { worked, failed } = createBackgroundReport(error => log.fault(error, 'none'));
  return {
    count: usage.count,
    store(store) {
      const documents = store.documents(usageCollection);
      let running = Promise.resolve();
      const flush = (): Promise<void> => (running = running.then(() => usage.flush(documents)).then(worked, failed));
      const timer = setInterval(() => void flush(), pause).unref();
      opened(async () => {
        clearInterval(timer);
        await flush();
      });
    },
  };
}
