import { setImmediate } from 'node:timers/promises';
import { withOnly } from '../../indexing/only.ts';
import type { ResourceType } from '../../model/model.ts';
import { positionOf } from '../../search/sort.ts';
import { createSortedPage } from '../../search/sorted-page.ts';
import { parametersOfSort } from '../../search/walk.ts';
import { DeadlinePassed, TooManyToSort } from '../port/errors.ts';
import { fitting, mostPageText } from '../port/pages.ts';
import type { Partition } from '../port/partitions.ts';
import type { Page, StoredVersion, StoreSearch } from '../port/records.ts';
import type { StoreOptions } from '../port/store.ts';
import { entriesOfStored } from '../upkeep/entries.ts';

/** Maximum number of matches that are sorted without an index. */
export const mostSorted = 10_000;

/** Matches that are read first; each batch has twice as many as the one before, since each plans the query again. */
const firstBatch = 200;

/** Most matches of a batch. */
const largestBatch = 2_000;

/** The number of matches of the batch after one of `batch` matches. `mean` is the length of their texts so far. */
export function nextBatch(batch: number, mean: number): number {
  const most = Math.floor(mostPageText / Math.max(mean, 1));
  return Math.min(batch * 2, largestBatch, Math.max(firstBatch, most));
}

/** Matches after which the event loop gets a turn. */
const turn = 200;

/**
 * A page in an order that no index has: reads all matches in the order of their ids, and takes their sort values from
 * their texts; those of a damaged text are missing. Throws `TooManyToSort`, `DeadlinePassed`, and the errors of
 * `search` and `count`.
 */
export async function sortedPage(
  partition: Pick<Partition, 'id' | 'settings' | 'search' | 'count'>,
  type: ResourceType,
  { query, sort, limit, after, explain }: StoreSearch,
  options: Pick<StoreOptions, 'extract' | 'deadline' | 'fault'>,
): Promise<Page> {
  const { deadline } = options;
  const end = performance.now() + deadline;
  const narrow = withOnly(type, parametersOfSort(type, sort));
  const where = { id: partition.id, zone: partition.settings.zone };
  const page = createSortedPage<StoredVersion>(sort, { limit, after, fitting });
  const byId = [{ by: 'id', descending: false }] as const;
  let read = 0;
  let from: StoreSearch['after'];
  let batch = firstBatch;
  let length = 0; // of all texts
  do {
    if (read === firstBatch && (await partition.count(type.name, query, explain)) > mostSorted)
      throw new TooManyToSort(mostSorted);
    const place = from === undefined ? {} : { after: from };
    const { versions, next } = await partition.search(type.name, {
      query,
      sort: byId,
      limit: batch,
      ...place,
      explain,
    });
    for (const [at, version] of versions.entries()) {
      if (at > 0 && at % turn === 0) await setImmediate();
      const { id, lastUpdated, text = '' } = version;
      length += text.length;
      const entries = entriesOfStored(options, narrow, text, where) ?? [];
      page.add(positionOf(sort, type, { id, lastUpdated, entries }), version);
    }
    read += versions.length;
    if (read > mostSorted) throw new TooManyToSort(mostSorted);
    from = next;
    batch = nextBatch(batch, length / Math.max(read, 1));
    if (from !== undefined) await setImmediate();
    if (performance.now() > end) throw new DeadlinePassed(deadline);
  } while (from !== undefined);
  const { matches, next } = page.read();
  return { versions: matches, next };
}
