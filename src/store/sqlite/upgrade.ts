import { type Core, submit } from './core.ts';
import type { Owned } from './jobs.ts';
import { printOwners } from '../owners.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { fillPending } from '../upkeep/upgrade.ts';
import { sqliteIndexes } from './indexes.ts';
import { createProgressNotice } from '../progress-notice.ts';

/** Finishes the upgrade of an older layout before a server answers: indexes that the layout changed, then owners. */
export async function finishUpgrade(core: Core): Promise<void> {
  if (core.database.get(`SELECT 1 FROM meta WHERE key = 'upgrade'`) === undefined) return;
  await fillPending(sqliteIndexes(core), core.options.notice);
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
    await report((done += found.length));
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
