import type { FileWatch } from '../files/condition.ts';
import { unavailable } from '../files/failures.ts';
import { type BytesFolder, bytesFolders, dueBytes } from '../files/sweep.ts';
import { type Chore, createBackgroundReport, doChores, rebuildPending } from '../upkeep/chores.ts';
import { latestOf } from '../upkeep/views.ts';
import { knownAttachments } from './attachments.ts';
import { type Core, submit, valueOf } from './core.ts';
import { storedRegistration } from './defining.ts';
import { sqliteIndexes } from './indexes.ts';
import { wordsState } from './words-table.ts';

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

/** How long after a merge the next one begins, in milliseconds: writes that continue are merged by FTS5 itself. */
const rest = 60_000;

/**
 * Merges the segments of the words in the background: a lookup of one record searches each of them, 13 after an index
 * was built. Nothing is stored about it, since a merge of merged segments ends at once.
 */
class WordsMerge {
  readonly #core: Core;
  #merged: string | undefined;
  #isMerging = false;
  #next = -Infinity;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Merges a part; false if nothing is left, or it is too early. */
  async step(): Promise<boolean> {
    if (!this.#isMerging && performance.now() < this.#next) return false;
    const state = wordsState(this.#core.database);
    if (state === undefined || state === this.#merged) return false;
    const more = valueOf(await submit(this.#core, () => ({ kind: 'mergeWords' }))) === 1;
    if (this.#isMerging && !more) this.#next = performance.now() + rest;
    this.#isMerging = more;
    if (!more) this.#merged = wordsState(this.#core.database);
    return more;
  }
}

/** How often a server sweeps, in milliseconds. */
const hour = 3_600_000;

/**
 * Removes, periodically and in slices, attachments without a record: a rejected or repeated write leaves them.
 * `unswept` are the folders that the start has left; the first round comes after `every` milliseconds. Each call sweeps
 * one folder; false if nothing is due.
 */
export function byteSweep(core: Core, unswept: readonly BytesFolder[], every: number = hour): () => Promise<boolean> {
  const known = knownAttachments(core.database);
  let next = performance.now() + every;
  let folders = [...unswept];
  return async () => {
    if (folders.length === 0) {
      if (performance.now() < next) return false;
      next = performance.now() + every;
      folders = [...bytesFolders(known, core.path)];
    }
    const folder = folders.pop();
    if (folder === undefined) return false;
    const due = dueBytes(known, core.path, folder);
    if (due !== undefined) await submit(core, () => ({ kind: 'sweepBytes', due }));
    return true;
  };
}

/** How often a server checks for work that other processes left, in milliseconds. */
const pause = 2_000;

/**
 * The background work of a server, one step after the other: fills pending indexes, deletes obsolete data, and merges
 * the words of full-text search. `unswept` are folders of attachments that the start has left; if it is undefined no
 * attachments are swept.
 */
export function choresOf(core: Core, unswept: readonly BytesFolder[] | undefined): readonly Chore[] {
  const sweepBytes = unswept && byteSweep(core, unswept);
  const words = new WordsMerge(core);
  const registerAll = storedRegistration();
  const step = async (): Promise<boolean> =>
    (await registerAll(latestOf(core))) ||
    (await rebuildPending(sqliteIndexes(latestOf(core)))) ||
    (await sweepSome(core)) ||
    (await sweepBytes?.()) ||
    words.step();
  return [{ step, pause }];
}

async function sweepSome(core: Core): Promise<boolean> {
  const now = core.options.now();
  const [isNeeded] =
    core.database.get(
      `SELECT EXISTS (SELECT 1 FROM parameters WHERE state = 'dropped') OR EXISTS (SELECT 1 FROM ` +
        `partitions WHERE id IS NULL) OR EXISTS (SELECT 1 FROM documents WHERE expires <= ?) OR EXISTS ` +
        `(SELECT 1 FROM keys WHERE expires <= ?)`,
      [now, now],
    ) ?? [];
  if (isNeeded !== 1) return false;
  await submit(core, () => ({ kind: 'sweep', now }));
  return true;
}
