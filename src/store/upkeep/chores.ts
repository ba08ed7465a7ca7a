import { setTimeout } from 'node:timers/promises';
import type { PartitionIdentity } from '../port/partitions.ts';
import type { IndexDriver } from './indexes.ts';

/** A background task of a server. */
export interface Chore {
  /** Does a short part of it; true if there is more to do. */
  readonly step: () => Promise<boolean>;
  /** The pause if there is nothing to do, in milliseconds. */
  readonly pause: number;
}

/**
 * Runs tasks until the signal aborts, concurrently; after each step a task rests as long as the step took. A failed
 * step is retried after the pause. `fault` receives the first error of a task, until it works again.
 */
export async function doChores(
  chores: readonly Chore[],
  signal: AbortSignal,
  fault: ((error: unknown) => void) | undefined,
): Promise<void> {
  const repeat = async ({ step, pause }: Chore): Promise<void> => {
    const { worked, failed } = createBackgroundReport(fault);
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

/** A step that fills pending indexes: one slice of the first type with some. */
export async function rebuildPending<P extends PartitionIdentity>(driver: IndexDriver<P>): Promise<boolean> {
  for (const [partition, { name }] of await driver.pendingTypes()) {
    const own = await driver.within(partition);
    const type = own.options().model.types.get(name);
    if (type !== undefined && (await own.rebuildSlice(partition, type)) === 'more') return true;
  }
  return false;
}

/**
 * Reports failures of background work that is retried: the first failure, and no further one until the work has
 * succeeded.
 */
export function createBackgroundReport(fault: (error: unknown) => void = () => {}): {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
} {
  let isTold = false;
  return {
    worked: () => {
      isTold = false;
    },
    failed(error) {
      if (!isTold) fault(error);
      isTold = true;
    },
  };
}
