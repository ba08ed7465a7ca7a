import type { Change, WriteOptions, WriteResult } from '../store.ts';
import { applyChange } from './apply.ts';
import { marks } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { nextStamp } from './prepare.ts';

/** Writes changes as the port says. */
export async function write(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  { mark }: WriteOptions,
): Promise<readonly WriteResult[]> {
  const updated = nextStamp(core, partition.p);
  const results: WriteResult[] = [];
  for (const change of changes) results.push(await applyChange(core, partition, change, { updated }));
  if (mark !== undefined)
    await marks(core.database).updateOne(
      { _id: `${partition.p}/${mark.key}` },
      { $set: { value: mark.value } },
      { upsert: true },
    );
  return results;
}
