import type { Change, WriteOptions, WriteResult } from '../port/records.ts';
import { isConditional, requireApart } from '../port/conditional.ts';
import { applyChange } from './apply.ts';
import { writeAtOnce } from './at-once.ts';
import type { Core, PartitionInfo } from './core.ts';
import { writeEach } from './each.ts';
import { keepMark } from './mark.ts';
import { requireAll } from './match.ts';

/**
 * Writes changes as the port defines. A single change is one document, which its mark follows; several at once, one
 * with a key, and one that depends on a search are a transaction.
 */
export async function write(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { unit = 'all', key, mark, requires = [] } = options;
  requireApart(changes);
  const [first, second] = changes;
  const results: WriteResult[] = [];
  if (first !== undefined) {
    const isOneByOne = key === undefined && (second === undefined ? !isConditional(first) : unit === 'each');
    if (!isOneByOne) return writeAtOnce(core, partition, changes, options);
    await requireAll(core, partition, requires);
    if (second === undefined) results.push(await applyChange(core, partition, first, {}));
    else results.push(...(await writeEach(core, partition, changes)));
  }
  await keepMark(core, partition.p, mark);
  return results;
}
