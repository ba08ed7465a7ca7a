import type { Extract } from '../indexing/extract.ts';
import { openStore } from '../store/open.ts';
import { keepPublicUrl } from '../store/public-url.ts';
import type { Store } from '../store/store.ts';
import { startIndexUsage } from './index-usage.ts';
import { observedStore } from './observe.ts';
import { checkStore } from './start-checks.ts';
import type { Start } from './start.ts';

/** Opens the store of the settings for serving, and checks it. Rejects with a sentence for the operator. */
export async function openServedStore(start: Start, extract: Extract): Promise<Store> {
  const { config, model, url, now, notice, log, meters, opened } = start;
  const usage = startIndexUsage(start);
  const store = await openStore(config.store, {
    model,
    extract,
    now,
    mode: 'serve',
    deadline: config.searchDeadline,
    timeout: config.storeTimeout,
    used: usage.count,
    timed: meters?.written,
    fault: error => log.fault(error, 'none'),
    notice,
  });
  opened(() => store.close());
  usage.store(store);
  await checkStore(store, config, notice);
  await keepPublicUrl(store, url);
  return observedStore(start, store);
}
