import { setTimeout } from 'node:timers/promises';
import { createBeside } from '../beside.ts';
import type { BytesFolder } from './attachment-sweep.ts';
import { ByteSweep } from './byte-sweep.ts';
import { type Core, partitionIndex, submit } from './core.ts';
import { DigestFill } from './digest-fill.ts';
import { rebuildSlice } from './rebuild.ts';

/** How often a server looks for work that other processes left, in milliseconds. */
const pause = 2_000;

/**
 * What a server does beside its requests: fills pending indexes, deletes what nothing needs, and gives versions the digest that
 * they lack, in slices, resting after each as long as it took. `unswept` are folders of bytes that the start has left; where it
 * is undefined no bytes are swept. Ends when the signal says so.
 */
export async function work(
  core: Core,
  unswept: readonly BytesFolder[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  const bytes = unswept === undefined ? undefined : new ByteSweep(core, unswept);
  const digests = new DigestFill(core);
  const { worked, failed } = createBeside(core.options.fault);
  while (!signal.aborted) {
    try {
      const started = performance.now();
      const more =
        (await rebuildSome(core)) || (await sweepSome(core)) || (await bytes?.step()) || (await digests.step());
      worked();
      await rest(more ? performance.now() - started : pause, signal);
    } catch (error) {
      if (!signal.aborted) failed(error);
      await rest(pause, signal);
    }
  }
}

async function rebuildSome(core: Core): Promise<boolean> {
  const rows = core.database.all(
    `SELECT DISTINCT partitions.id, types.type FROM parameters JOIN types USING (t) JOIN partitions USING (n) WHERE state = 'pending' AND partitions.id IS NOT NULL`,
  );
  for (const [partition, type] of rows)
    if (partitionIndex(core, String(partition))?.types.has(String(type)) === true)
      if (await rebuildSlice(core, String(partition), String(type))) return true;
  return false;
}

async function sweepSome(core: Core): Promise<boolean> {
  const now = core.options.now();
  const [isNeeded] =
    core.database.get(
      `SELECT EXISTS (SELECT 1 FROM parameters WHERE state = 'dropped') OR EXISTS (SELECT 1 FROM partitions WHERE id IS NULL) OR EXISTS (SELECT 1 FROM documents WHERE expires <= ?) OR EXISTS (SELECT 1 FROM keys WHERE expires <= ?)`,
      [now, now],
    ) ?? [];
  if (isNeeded !== 1) return false;
  await submit(core, () => ({ kind: 'sweep', now }));
  return true;
}

async function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(Math.max(1, milliseconds), undefined, { signal, ref: false }).catch(() => undefined);
}
