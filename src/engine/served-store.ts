import { createExtract } from '../indexing/extract.ts';
import type { Extract } from '../indexing/extract.ts';
import type { ReportNotIndexed } from '../indexing/not-indexed.ts';
import { firstFailures } from '../indexing/not-indexed.ts';
import type { Model } from '../model/model.ts';
import { openStore } from '../store/open.ts';
import { keepPublicUrl } from '../store/server/documents.ts';
import type { StoreDefinitions } from '../store/port/definitions.ts';
import type { Store, StoreOptions } from '../store/port/store.ts';
import type { UsableModel } from './definitions/compile-set.ts';
import { createStoredAbove } from './definitions/stored-above.ts';
import type { StoredAbove } from './definitions/stored-above.ts';
import { startIndexUsage } from './parts/index-usage.ts';
import { checkStore } from './start-checks.ts';
import type { Start } from './start.ts';

/** Opens the store of the settings for serving, and checks it. Rejects with a sentence for the operator. */
export async function openServedStore(
  start: Start,
  definitions: StoreDefinitions,
  { choose, follow }: Required<Pick<StoreOptions, 'choose' | 'follow'>>,
): Promise<Store> {
  const { config, url, notice, opened } = start;
  const usage = startIndexUsage(start);
  const store = await openStore(config.store, {
    ...definitions,
    ...serveOptions(start),
    used: usage.count,
    choose,
    follow,
    notice,
  });
  opened(() => store.close());
  usage.store(store);
  await checkStore(store, config, notice);
  await keepPublicUrl(store, url);
  return store;
}

/** The options of a store that serves, in each process of a server. */
export const serveOptions = ({
  config,
  now,
  log,
  meters,
}: Start): Pick<StoreOptions, 'now' | 'mode' | 'deadline' | 'timeout' | 'timed' | 'fault' | 'processes'> => ({
  now,
  mode: 'serve',
  deadline: config.searchDeadline,
  timeout: config.storeTimeout,
  timed: meters?.written,
  fault: error => log.fault(error, 'none'),
  processes: config.processes,
});

/** What a store follows of loaded definitions, and what the records of partitions make of them. */
export interface FollowedDefinitions extends StoreDefinitions {
  readonly model: Model;
  readonly stored: StoredAbove;
}

/** What a store follows; records that cannot be indexed are reported, a few of each kind. */
export function storeDefinitions(
  { model, definitions }: Pick<UsableModel, 'model' | 'definitions'>,
  notice: Start['notice'],
  report: ReportNotIndexed = firstFailures(notice),
): FollowedDefinitions {
  const extractOf = (of: Model): Extract => createExtract(of, report);
  const stored = createStoredAbove({ model, definitions, extractOf, notice });
  return { model, extract: extractOf(model), above: stored.above, stored };
}
