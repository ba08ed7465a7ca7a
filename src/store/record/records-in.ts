import type { RecordStore } from '../port/records.ts';

/** The number of current resources of these types in a partition. */
export async function recordsIn(partition: Pick<RecordStore, 'count'>, types: Iterable<string>): Promise<number> {
  let count = 0;
  for (const type of types) count += await partition.count(type);
  return count;
}
