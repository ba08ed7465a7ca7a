import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { StoreRefused } from '../port/errors.ts';
import type { LayoutState } from '../layout-change.ts';
import { layout, layoutChanges, layoutOf } from './migrations.ts';
import { openDatabase } from './open.ts';

/** An upgrade (upgrade.ts) that has something left to do: a new store has none, although it is marked too. */
const unfinished = `SELECT 1 FROM meta WHERE key = 'upgrade' AND (
  EXISTS (SELECT 1 FROM resources INDEXED BY resources_unowned WHERE owners IS NULL AND ord IS NOT NULL) OR
  EXISTS (SELECT 1 FROM parameters WHERE state = 'pending'))`;

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
      isInterrupted: found === layout && database.get(unfinished) !== undefined,
      records: count('SELECT COALESCE(sum(resources), 0) FROM types'),
      versions: count('SELECT count(*) FROM versions'),
    };
  } finally {
    database.close();
  }
}
