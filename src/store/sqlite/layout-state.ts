import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreRefused } from '../errors.ts';
import type { LayoutChange, LayoutState } from '../upgrade.ts';
import { layout, layoutOf } from './migrations.ts';
import { openDatabase } from './open.ts';

/** What each step of migrations.ts changes, from the second layout on. */
export const layoutChanges: readonly LayoutChange[] = [
  { layout: 2, change: 'Tables for attachments and idempotency keys' },
  {
    layout: 3,
    change: 'A digest of each version, by which `verify` finds damage',
    work: { of: 'versions', perSecond: 2_000, when: 'background' },
  },
  {
    layout: 4,
    change: 'Index entries of absolute references do not depend on the public URL; those indexes are rebuilt',
    work: { of: 'records', perSecond: 900, when: 'start' },
  },
  {
    layout: 5,
    change: 'The owners of each record are stored',
    work: { of: 'records', perSecond: 2_000, when: 'start' },
  },
  {
    layout: 6,
    change: 'Indexes of versions by time, for the history of types',
    work: { of: 'versions', perSecond: 100_000, when: 'start' },
  },
];

/** Like `readLayout`, of the store in a file. */
export function readSqliteLayout(file: string): LayoutState {
  const path = resolve(file);
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
  const database = openDatabase(path, 'readOnly');
  try {
    const found = layoutOf(database, path);
    if (found === 0) throw new StoreRefused(`\`${path}\` is empty: it has no store`);
    const count = (sql: string): number => Number(database.get(sql)?.[0]);
    return {
      found,
      newest: layout,
      changes: layoutChanges.filter(change => change.layout > found),
      records: count('SELECT COALESCE(sum(resources), 0) FROM types'),
      versions: count('SELECT count(*) FROM versions'),
    };
  } finally {
    database.close();
  }
}
