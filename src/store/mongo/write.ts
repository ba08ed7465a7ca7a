import { isConditional, requireApart } from '../port/conditional.ts';
import { PromiseLacking } from '../port/errors.ts';
import type { Change, WriteOptions, WriteResult } from '../port/records.ts';
import { applyChange } from './apply.ts';
import { writeAtOnce } from './at-once.ts';
import type { Core, PartitionInfo } from './core.ts';
import { writeEach } from './each.ts';
import { withKey } from './keyed.ts';
import { severalAtOnce } from './lacks.ts';
import { keepMark } from './mark.ts';
import { createUnlessMatching, requireAll } from './match.ts';

/**
 * Writes changes as the port defines. A single change is one document; several at once need a transaction. If there are
 * transactions, a conditional create uses one too.
 */
export async function write(
  core: Core,
  partition: PartitionInfo,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<readonly WriteResult[]> {
  const { unit = 'all', key, mark, requires = [] } = options;
  const [first] = changes;
  if (first === undefined) {
    await keepMark(core, partition.p, mark);
    return [];
  }
  requireApart(changes);
  const { transactions } = core.deployment;
  const several = changes.length > 1;
  if (several && unit === 'each' && key === undefined) {
    await requireAll(core, partition, requires);
    const results = await writeEach(core, partition, changes);
    await keepMark(core, partition.p, mark);
    return results;
  }
  if (several && !transactions) throw new PromiseLacking(severalAtOnce);
  if (several || (transactions && changes.some(isConditional))) return writeAtOnce(core, partition, changes, options);

  const one = async (change: Change, by?: string): Promise<readonly WriteResult[]> => {
    await requireAll(core, partition, requires);
    return [await writeOne(core, partition, change, by)];
  };
  const results = await (key === undefined ? one(first) : withKey(core, partition, key, first, one));
  if (!results.some(({ outcome }) => outcome === 'repeated')) await keepMark(core, partition.p, mark);
  return results;
}

/** One change that needs no transaction. */
async function writeOne(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  by: string | undefined,
): Promise<WriteResult> {
  const manner = by === undefined ? {} : { by };
  return isConditional(change)
    ? createUnlessMatching(core, partition, change, manner)
    : applyChange(core, partition, change, manner);
}
