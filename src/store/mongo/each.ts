import { VersionConflict } from '../port/errors.ts';
import type { Change, WriteResult } from '../port/records.ts';
import type { Core, PartitionInfo } from './core.ts';
import { writeBatch } from './each-batch.ts';
import { type Batch, batchesOf, prepareBatch } from './each-prepare.ts';
import { nextStamp } from './prepare.ts';

/**
 * Applies changes one by one, in bulk: while some are written, the next are prepared. Changes of the same resource stay
 * in order. After an error others may or may not be done; repeating all of them applies each once. A `VersionConflict`
 * has the results of those that are done.
 */
export async function writeEach(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
): Promise<readonly WriteResult[]> {
  const updated = nextStamp(core, partition.p);
  const results: WriteResult[] = [];
  let before: Batch | undefined;
  let writing = Promise.resolve();
  try {
    for (const batch of batchesOf(changes)) {
      // If it shares a resource with the batch before, that must be written before this is read.
      if (batch.keys.values().some(key => before?.keys.has(key) === true)) await writing;
      const steps = await prepareBatch(core, partition, batch, updated);
      await writing;
      writing = writeBatch(core, partition, steps, results);
      writing.catch(() => undefined); // it is awaited later
      before = batch;
    }
    await writing;
    return results;
  } catch (error) {
    if (!(error instanceof VersionConflict)) throw error;
    await writing.catch(() => undefined);
    // A result that is not there yet is a hole of the array.
    const done = new Map(results.entries().filter(([at]) => Object.hasOwn(results, at)));
    throw new VersionConflict(error.type, error.id, done);
  }
}
