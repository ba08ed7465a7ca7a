import { type Core, partitionIndex, submit } from './core.ts';
import type { Owned } from './jobs.ts';
import { printOwners } from '../owners.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { rebuildSlice } from './rebuild.ts';
import { createProgressNotice } from '../progress-notice.ts';

/**
 * Finishes the upgrade of an older layout before a server answers: builds the indexes that the layout changed, in
 * slices that commit their progress, so that an interrupted upgrade is resumed.
 */
export async function finishUpgrade(core: Core): Promise<void> {
  if (core.database.get(`SELECT 1 FROM meta WHERE key = 'upgrade'`) === undefined) return;
  const { database, options } = core;
  const places = database.all(
    `SELECT DISTINCT partitions.id, types.type, types.resources FROM parameters JOIN types USING (t) ` +
      `JOIN partitions USING (n) WHERE state = 'pending' AND partitions.id IS NOT NULL ORDER BY n, t`,
  );
  for (const [partition, type, resources] of places) {
    const report = createProgressNotice(options.notice, `Upgrading the indexes of ${type}`, Number(resources));
    const pending = (): number => {
      const t = partitionIndex(core, String(partition))?.types.get(String(type))?.t ?? 0;
      const [done] = database.get(`SELECT min(done) FROM parameters WHERE t = ? AND state = 'pending'`, [t]) ?? [];
      return Number(done ?? resources);
    };
    while (await rebuildSlice(core, String(partition), String(type))) report(pending());
  }
  await fillOwners(core);
  await submit(core, () => ({ kind: 'upgraded' }));
}

/** Records per slice: its commit stays short. */
const slice = 500;

/** Derives missing owners of current versions, except those with a damaged text or of an undeclared type. */
async function fillOwners(core: Core): Promise<void> {
  const { database, options } = core;
  const unowned = 'FROM resources INDEXED BY resources_unowned WHERE owners IS NULL AND ord IS NOT NULL';
  const of = Number(database.get(`SELECT count(*) ${unowned}`)?.[0]);
  const report = createProgressNotice(options.notice, 'Upgrading the owners', of);
  for (let [after, done] = [-Infinity, 0]; done < of;) {
    const found = database.all(`SELECT r ${unowned} AND rowid > ? ORDER BY rowid LIMIT ?`, [after, slice]);
    if (found.length === 0) return;
    const rows = found.flatMap(([r]) => ownedRow(core, Number(r)) ?? []);
    if (rows.length > 0) await submit(core, () => ({ kind: 'owners', rows }));
    after = Number(found.at(-1)?.[0]);
    report((done += found.length));
  }
}

function ownedRow({ database, options }: Core, r: number): Owned | undefined {
  const [name, version, text, partition, settings] =
    database.get(
      'SELECT type, version, text, partitions.id, settings FROM resources CROSS JOIN types USING (t) ' +
        'CROSS JOIN partitions USING (n) WHERE r = ?',
      [r],
    ) ?? [];
  const type = options.model.types.get(String(name));
  if (type === undefined || partition === null) return undefined;
  const { zone } = JSON.parse(String(settings)) as { zone: string };
  const entries = entriesOfStored(options, type, String(text), { id: String(partition), zone });
  return entries && { r, version: Number(version), owners: printOwners(type, entries) };
}
