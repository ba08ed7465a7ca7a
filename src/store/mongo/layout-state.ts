import type { LayoutChange, LayoutState } from '../upgrade.ts';
import { readMeta, typesKept } from './collections.ts';
import { connect } from './connect.ts';
import { openingError } from './failures.ts';
import { layout, prepareDatabase } from './prepare-database.ts';

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
];

/** How long an answer may take, in milliseconds. */
const longestQuestion = 10_000;

/** Like `readLayout`, of the store in a database. Counts are those that the server estimates. */
export async function readMongoLayout(url: string): Promise<LayoutState> {
  const { client, name, close } = await connect(url, longestQuestion);
  try {
    const database = client.db(name, { readPreference: 'primary' });
    await prepareDatabase(database, 'read'); // throws if there is none, or a newer one
    const found = Number(await readMeta(database, 'layout'));
    const count = async (suffix: string): Promise<number> => {
      let sum = 0;
      for (const type of await typesKept(database))
        sum += await database.collection(`${type}${suffix}`).estimatedDocumentCount();
      return sum;
    };
    return {
      found,
      newest: layout,
      changes: layoutChanges.filter(change => change.layout > found),
      records: await count(''),
      versions: await count('.history'),
    };
  } catch (error) {
    throw openingError(error);
  } finally {
    await close();
  }
}
