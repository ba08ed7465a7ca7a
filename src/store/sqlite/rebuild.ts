import { printOwners } from '../keys/owners.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { type Core, partitionIndex, submitOnce } from './core.ts';
import type { TypeIndex } from './dictionary.ts';
import type { RebuildJob } from './jobs.ts';
import { emptyRows, rowsOf, selectRows } from './rows.ts';
import { createdOf } from './versions.ts';

/** Resources per slice: its commit stays short. */
const rebuildSliceSize = 100;

/**
 * Fills the pending indexes of a type from its next slice of resources. False if nothing is pending. Continues after an
 * interruption, since each slice commits its progress.
 */
export async function rebuildSlice(core: Core, partition: string, type: string): Promise<boolean> {
  const known = partitionIndex(core, partition);
  const index = known?.types.get(type);
  if (known === undefined || index === undefined || !hasPending(index)) return false;
  const job = prepareSlice(core, index, { id: partition, zone: known.settings.zone, epoch: known.epoch });
  if (job === undefined) return false;
  await submitOnce(core, job);
  return true;
}

function hasPending(index: TypeIndex): boolean {
  return [...index.indexes.values()].some(one => !one.ready && one.p !== 0);
}

function prepareSlice(
  { database, options }: Core,
  index: TypeIndex,
  { id, zone, epoch }: { id: string; zone: string; epoch: number },
): RebuildJob | undefined {
  const mine = new Set([...index.indexes.values()].map(one => one.p));
  const indexes = database
    .all(`SELECT p, after FROM parameters WHERE t = ? AND state = 'pending'`, [index.t])
    .map(([p, after]) => ({ p: Number(p), after: String(after) }))
    .filter(({ p }) => mine.has(p));
  if (indexes.length === 0) return undefined;
  const from = indexes.map(({ after }) => after).reduce((least, after) => (after < least ? after : least));
  const found = database.all(
    'SELECT r, id, version, text, ord, last_updated FROM resources WHERE t = ? AND id > ? AND ord IS NOT NULL ' +
      'ORDER BY id LIMIT ?',
    [index.t, from, rebuildSliceSize],
  );
  const resources = found.map(([r, key, version, text, before, updated]) => {
    const entries = entriesOfStored(options, index.type, String(text), { id, zone });
    const current = { t: index.t, id: String(key), version: Number(version), lastUpdated: Number(updated) };
    const { rows, ord = createdOf(database, current) } =
      entries === undefined
        ? { rows: emptyRows(), ord: index.type.sortDate && Number(before) }
        : rowsOf(index, entries);
    const owners = entries === undefined ? undefined : printOwners(index.type, entries);
    const wanted = new Set(indexes.filter(({ after }) => after < String(key)).map(({ p }) => p));
    const ofWanted = selectRows(rows, () => row => wanted.has(Number(row[0])));
    return { r: Number(r), id: String(key), version: Number(version), ord, rows: ofWanted, owners };
  });
  // The last slice also completes indexes that have advanced further.
  return { kind: 'rebuild', epoch, t: index.t, indexes, resources, last: found.length < rebuildSliceSize };
}
