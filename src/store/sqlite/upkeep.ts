import { createBackgroundReport, doChores } from '../upkeep/chores.ts';
import type { BytesFolder } from '../files/sweep.ts';
import { unavailable } from '../files/failures.ts';
import type { FileWatch } from '../files/condition.ts';
import { choresOf } from './background.ts';
import type { Core } from './core.ts';

/** What an open store does beside requests, and its end: one for all definitions that it has had. */
export interface Upkeep {
  /** Whether this process serves the store. */
  readonly serves: boolean;
  readonly isClosed: boolean;
  /** Waits for running work, and closes the connections; may be called again. */
  close(): Promise<void>;
}

/** Starts the background work of a server; commands have none. */
export function startUpkeep(
  core: Core,
  unswept: readonly BytesFolder[] | undefined,
  watch: FileWatch,
  lock: { release(): void } | undefined,
): Upkeep {
  const ending = new AbortController();
  const serves = core.options.mode === 'serve';
  const work = serves ? doChores(choresOf(core, unswept), ending.signal, core.options.fault) : undefined;
  const watching = serves ? setInterval(watchFiles(core, watch), watchEvery).unref() : undefined;
  return upkeep(serves, async () => {
    ending.abort();
    clearInterval(watching);
    await work;
    await closeConnections(core);
    lock?.release();
  });
}

/** For a process beside the one that keeps the store up. */
export const noUpkeep = (core: Core): Upkeep => upkeep(true, () => closeConnections(core));

function upkeep(serves: boolean, close: () => Promise<void>): Upkeep {
  let closed: Promise<void> | undefined;
  return {
    serves,
    get isClosed() {
      return closed !== undefined;
    },
    close: () => (closed ??= close()),
  };
}

async function closeConnections(core: Core): Promise<void> {
  await Promise.allSettled(core.underWay);
  await core.readers.close();
  core.database.close();
  await core.writer?.close();
}

/** How often a server checks that its file is still in place, in milliseconds. */
const watchEvery = 1_000;

/** Reports a removed or replaced file, once until it is back. */
function watchFiles({ condition, options }: Core, watch: FileWatch): () => void {
  const { worked, failed } = createBackgroundReport(options.fault);
  return () => {
    const failure = watch.failure();
    condition.lost(failure);
    if (failure === undefined) worked();
    else failed(unavailable(failure));
  };
}
