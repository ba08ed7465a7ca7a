import { setTimeout } from 'node:timers/promises';
import { createBeside } from '../beside.ts';
import type { PartitionIdentity } from '../partitions.ts';
import type { IndexDriver } from './indexes.ts';

/** Something that a server does beside its requests. */
export interface Chore {
  /** Does some of it, which takes little time; true where more is to be done. */
  readonly step: () => Promise<boolean>;
  /** How long to wait where nothing is to be done, in milliseconds. */
  readonly pause: number;
}

/**
 * Does chores until the signal says so, each beside the others; after each step it rests as long as the step took. What
 * fails is tried again after the pause. `fault` is called with the first error of a chore, until it works again.
 */
export async function doChores(
  chores: readonly Chore[],
  signal: AbortSignal,
  fault: ((error: unknown) => void) | undefined,
): Promise<void> {
  const repeat = async ({ step, pause }: Chore): Promise<void> => {
    const { worked, failed } = createBeside(fault);
    while (!signal.aborted) {
      const started = performance.now();
      let rest = pause;
      try {
        if (await step()) rest = Math.max(1, performance.now() - started);
        worked();
      } catch (error) {
        if (!signal.aborted) failed(error);
      }
      await setTimeout(rest, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  await Promise.all(chores.map(repeat));
}

/** A step that fills pending indexes: one slice of the first type that has some. */
export async function rebuildPending<P extends PartitionIdentity>(driver: IndexDriver<P>): Promise<boolean> {
  for (const [partition, type] of await driver.pendingTypes())
    if ((await driver.rebuildSlice(partition, type)) === 'more') return true;
  return false;
}
