import { type Core, partitionIndex, submit } from './core.ts';
import { rebuildSlice } from './rebuild.ts';
import { createProgressNotice } from '../progress-notice.ts';

/**
 * Finishes the upgrade of an older layout before a server answers: builds the indexes that the layout changed, in slices
 * that commit with how far they came, so that an interrupted upgrade is resumed.
 */
export async function finishUpgrade(core: Core): Promise<void> {
  if (core.database.get(`SELECT 1 FROM meta WHERE key = 'upgrade'`) === undefined) return;
  const { database, options } = core;
  const places = database.all(
    `SELECT DISTINCT partitions.id, types.type, types.resources FROM parameters JOIN types USING (t) JOIN partitions USING (n) WHERE state = 'pending' AND partitions.id IS NOT NULL ORDER BY n, t`,
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
  await submit(core, () => ({ kind: 'upgraded' }));
}
