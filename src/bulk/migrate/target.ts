import type { Partition } from '../../store/port/partitions.ts';
import type { Store } from '../../store/port/store.ts';

/** Key of the mark of a migration in each partition of its target; it is not copied to other stores. */
export const migrationKey = 'migrate';

/** The progress of a migration in a partition. */
export interface Position {
  /** The source store (see `MigrateOptions.source`). */
  readonly source: string;
  /** All types before `type` are copied, and of `type` all up to `id`; undefined at the beginning. */
  readonly at: { readonly type: string; readonly id: string } | undefined;
}

export function printPosition(position: Position): string {
  return JSON.stringify(position);
}

/** Undefined if there was no migration into the partition. */
async function readPosition(partition: Partition): Promise<Position | undefined> {
  const mark = await partition.mark(migrationKey);
  if (mark === undefined) return undefined;
  const { source, at } = JSON.parse(mark) as Position; // printPosition wrote it
  return { source, at };
}

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
