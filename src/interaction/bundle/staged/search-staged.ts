import type { Extract } from '../../../indexing/extract.ts';
import type { ResourceType } from '../../../model/model.ts';
import type { Position, Sort } from '../../../search/ast.ts';
import { comparePositions, positionOf } from '../../../search/sort.ts';
import { createSortedPage } from '../../../search/sorted-page.ts';
import { parametersOfSort } from '../../../search/walk.ts';
import { fitting } from '../../../store/port/pages.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { Page, StoredVersion, StoreSearch } from '../../../store/port/records.ts';
import { indexedBy } from '../../search/joined.ts';
import { withoutRecords } from './staged-record.ts';
import type { StagedEntries, StagedRecord } from './staged-record.ts';

/** The stored records of a type, and the staged ones. */
export interface StagedType {
  readonly partition: Partition;
  readonly extract: Extract;
  readonly type: ResourceType;
  readonly records: readonly StagedRecord[];
  readonly entries: StagedEntries;
}

/** A page of stored and staged records, in order. Throws the errors of `Partition.search`. */
export async function searchStaged(
  { partition, extract, type, records, entries }: StagedType,
  search: StoreSearch,
): Promise<Page> {
  const { query, sort, limit, after } = search;
  const stored = await partition.search(type.name, { ...search, query: withoutRecords(query, records) });
  const page = createSortedPage<StoredVersion>(sort, { limit, after, fitting });
  const indexed = indexedBy(parametersOfSort(type, sort), stored.versions, type, { partition, extract, base: '' });
  for (const [at, version] of stored.versions.entries()) {
    const one = indexed[at];
    if (one !== undefined) page.add(positionOf(sort, type, one), version);
  }
  const matching = records.filter(record => entries.matches(record, type, query));
  const times = await createdTimes(partition, type, sort, matching);
  for (const record of matching) {
    const one = entries.of(record, type);
    if (one === undefined) continue;
    const { lastUpdated } = record.version; // all of them have one time, after those of all others
    const created = times.get(one.id);
    const position = positionOf(sort, type, { ...one, lastUpdated, created });
    // Behind the stored page there may be stored records before this one.
    const isLater = stored.next !== undefined && comparePositions(sort, position, stored.next) > 0;
    if (!isLater) page.add(position, created === undefined ? record.version : { ...record.version, created });
  }
  const { matches, next } = page.read();
  // The stored page alone may end at its limit although more follow.
  return { versions: matches, next: next ?? stored.next };
}

/** When the records were created that exist already, if the order needs it: by their ids. */
async function createdTimes(
  partition: Partition,
  { name, sortDate }: ResourceType,
  sort: readonly Sort[],
  records: readonly StagedRecord[],
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  if (sortDate !== undefined || !sort.some(({ by }) => by === 'default')) return times;
  const anyOf = records.filter(({ before }) => before?.text !== undefined).map(({ version }) => version.id);
  for (let after: Position | undefined, isLast = anyOf.length === 0; !isLast; isLast = after === undefined) {
    const from = after === undefined ? {} : { after };
    const page = await partition.search(name, { query: { kind: 'id', anyOf }, sort, limit: anyOf.length, ...from });
    for (const { id, created } of page.versions) if (created !== undefined) times.set(id, created);
    after = page.next;
  }
  return times;
}
