import type { Partition } from '../../store/port/partitions.ts';
import type { Store } from '../../store/port/store.ts';
import { migrationKey, type Position, printPosition, readPosition } from './position.ts';

/** A partition in both stores, and the progress of an interrupted run. */
export interface Pair {
  readonly from: Partition;
  readonly to: Partition;
  readonly at: Position['at'];
}

/**
 * The partitions of the source, each with its counterpart, which is created if needed. Throws Error, before any write,
 * if the target has records that are not of this source, or a partition with other settings.
 */
export async function preparePairs(from: Store, to: Store, source: string): Promise<readonly Pair[]> {
  const wanted = await from.partitions.list();
  const there = await to.partitions.list();
  for (const { id, settings } of there) {
    const partition = await partitionOf(to, id);
    const position = await readPosition(partition);
    const ours = wanted.find(one => one.id === id);
    if (position?.source !== source && (await hasRecords(partition))) throw foreign(id);
    if (ours !== undefined && ours.settings.zone !== settings.zone)
      throw new Error(
        `The partition \`${id}\` has the time zone ${settings.zone} in the target and ` +
          `${ours.settings.zone} in the source; remove the one in the target, which has no other records`,
      );
  }
  const pairs: Pair[] = [];
  for (const { id, settings } of wanted) {
    await to.partitions.add(id, settings);
    const pair = { from: await partitionOf(from, id), to: await partitionOf(to, id) };
    const position = await readPosition(pair.to);
    // Before the first record: so an interrupted run recognises its target.
    if (position?.source !== source) await start(pair.to, source);
    pairs.push({ ...pair, at: position?.source === source ? position.at : undefined });
  }
  return pairs;
}

/** The next run starts over. */
export async function start(to: Partition, source: string): Promise<void> {
  await to.import([], { mark: { key: migrationKey, value: printPosition({ source, at: undefined }) } });
}

async function hasRecords(partition: Partition): Promise<boolean> {
  for await (const _ of partition.export()) return true;
  return false;
}

function foreign(id: string): Error {
  return new Error(
    `The target has records that are not of this source (partition \`${id}\`); name a new store, or ` +
      'remove the partition',
  );
}

async function partitionOf(store: Store, id: string): Promise<Partition> {
  const partition = await store.partition(id);
  if (partition === undefined) throw new Error(`The partition \`${id}\` was removed meanwhile`);
  return partition;
}
