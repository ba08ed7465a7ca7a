import type { LayoutChange, LayoutState } from '../layout-change.ts';
import { readMeta, typesKept } from './collections.ts';
import { layout, readStore } from './prepare-database.ts';

/** What each layout after the first changes (prepare-database.ts). */
export const layoutChanges: readonly LayoutChange[] = [
  {
    layout: 2,
    change: 'A digest of each version, by which `verify` finds damage',
    work: { of: 'versions', perSecond: 1_000, when: 'background' },
  },
  {
    layout: 3,
    change: 'Index entries do not depend on the public URL, and owners are stored; all entries are rebuilt',
    work: { of: 'records', perSecond: 300, when: 'start' },
  },
  { layout: 4, change: 'The types that a partition uses are listed: a delete searches no others' },
];

/** Like `readLayout`, of the store in a database. Counts are those that the server estimates. */
export function readMongoLayout(url: string): Promise<LayoutState> {
  return readStore(url, async database => {
    const found = Number(await readMeta(database, 'layout'));
    const count = async (suffix: string): Promise<number> => {
      let sum = 0;
      for (const type of await typesKept(database))
        sum += await database.collection(`${type}${suffix}`).estimatedDocumentCount();
      return sum;
    };
    const changes = layoutChanges.filter(change => change.layout > found);
    const isInterrupted = (await readMeta(database, 'upgrade')) !== undefined;
    const [records, versions] = [await count(''), await count('.history')];
    return { found, newest: layout, changes, isInterrupted, records, versions };
  });
}
