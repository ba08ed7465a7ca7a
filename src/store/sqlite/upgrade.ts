import { type Core, submit } from './core.ts';
import { type Column, fillSlice } from './fill-column.ts';
import type { Filled } from './jobs.ts';
import { printOwners } from '../keys/owners.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { fillPending } from '../upkeep/upgrade.ts';
import { sqliteIndexes } from './indexes.ts';
import { createProgressNotice } from '../server/progress-notice.ts';

/** Finishes the upgrade of an older layout before a server answers: indexes that the layout changed, then owners. */
export async function finishUpgrade(core: Core): Promise<void> {
  if (core.database.get(`SELECT 1 FROM meta WHERE key = 'upgrade'`) === undefined) return;
  await fillPending(sqliteIndexes(core), core.options.notice);
  await fillOwners(core);
  await submit(core, () => ({ kind: 'upgraded' }));
}

/** The owners of current versions, except those with a damaged text or of an undeclared type. */
const owners: Column = {
  table: 'resources',
  column: 'owners',
  without: 'resources INDEXED BY resources_unowned WHERE owners IS NULL AND ord IS NOT NULL',
  valueOf: ownersOf,
  slice: 500,
};

async function fillOwners(core: Core): Promise<void> {
  const of = Number(core.database.get(`SELECT count(*) FROM ${owners.without}`)?.[0]);
  const report = createProgressNotice(core.options.notice, 'Upgrading the owners', of);
  for (let [after, done] = [-Infinity, 0]; done < of;) {
    const rows = await fillSlice(core, owners, after);
    if (rows.length === 0) return;
    after = rows.at(-1) ?? after;
    await report((done += rows.length));
  }
}

function ownersOf({ database, options }: Core, r: number): Omit<Filled, 'rowid'> | undefined {
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
  return entries && { version: Number(version), value: printOwners(type, entries) };
}
