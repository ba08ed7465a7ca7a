import { type Chore, rebuildPending } from '../upkeep/chores.ts';
import type { BytesFolder } from '../files/sweep.ts';
import { byteSweep } from './byte-sweep.ts';
import { latestOf } from '../upkeep/views.ts';
import { type Core, submit } from './core.ts';
import { sqliteIndexes } from './indexes.ts';
import { WordsMerge } from './words-merge.ts';

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
  const step = async (): Promise<boolean> =>
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
