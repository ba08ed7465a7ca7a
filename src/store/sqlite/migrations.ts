import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type LayoutChange, type LayoutState, requireKnownLayout } from '../layout.ts';
import { StoreRefused } from '../port/errors.ts';
import { isBusy } from './failures.ts';
import { type Database, openDatabase } from './open.ts';
import { schema } from './schema.ts';

/** "crs1": identifies the file among other SQLite files. */
const applicationId = 0x63727331;

interface UpgradeStep extends Omit<LayoutChange, 'layout'> {
  readonly make: (database: Database) => void;
}

/** The first layout that a start upgrades: that of `schema`. */
const oldest = 6;

/**
 * The steps from each layout to the next, from the oldest on. Never edit a released one. A new one needs a store of the
 * layout before it in test/fixtures/layouts.
 */
const steps: readonly UpgradeStep[] = [];

/** The layouts that this engine knows. */
export const layouts = { oldest, newest: oldest + steps.length } as const;

/** The layout that this engine reads and writes. */
export const layout = layouts.newest;

/** What each step changes. */
export const layoutChanges: readonly LayoutChange[] = steps.map(({ change, work }, at) => ({
  layout: oldest + at + 1,
  change,
  ...(work && { work }),
}));

/**
 * Creates or upgrades the layout in one transaction. Throws `StoreRefused` for a layout that it does not know, or a
 * file with other content.
 */
export function migrate(database: Database, path: string): void {
  if (layoutOf(database, path) === layout) return;
  database.exec('PRAGMA page_size = 8192');
  walMode(database);
  database.transaction(() => {
    const found = layoutOf(database, path);
    if (found === 0) database.exec(schema);
    for (const step of steps.slice(Math.max(0, found - oldest))) step.make(database);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${layout}`);
  });
}

/** For two processes that create the same file: the switch does not wait for a lock automatically. */
function walMode(database: Database): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return database.exec('PRAGMA journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Throws `StoreRefused` unless the file has the layout of this engine: for connections that must not change it. */
export function requireLayout(database: Database, path: string): void {
  const found = existingLayout(database, path);
  if (found < layout)
    throw new StoreRefused(`\`${path}\` has layout ${found}; start the server once so that it becomes ${layout}`);
}

/** The layout of a file with a store. Throws like `layoutOf`, and for an empty file. */
export function existingLayout(database: Database, path: string): number {
  const found = layoutOf(database, path);
  if (found === 0) throw new StoreRefused(`\`${path}\` is empty: it has no store`);
  return found;
}

/**
 * The layout of a file, 0 for an empty one. Throws `StoreRefused` for a layout that this engine does not know, or a
 * file with other content.
 */
export function layoutOf(database: Database, path: string): number {
  const found = Number(database.get('PRAGMA user_version')?.[0]);
  const id = Number(database.get('PRAGMA application_id')?.[0]);
  if (id !== applicationId && (found !== 0 || database.get('SELECT count(*) FROM sqlite_schema')?.[0] !== 0))
    throw new StoreRefused(`\`${path}\` is an SQLite file with other content; name another file`);
  if (found !== 0) requireKnownLayout(`\`${path}\``, found, layouts);
  return found;
}

/** Like `readLayout`, of the store in a file. */
export function readSqliteLayout(file: string): LayoutState {
  const path = resolve(file);
  if (!existsSync(path)) throw new StoreRefused(`There is no store at \`${path}\``);
  const database = openDatabase(path, 'readOnly');
  try {
    const found = existingLayout(database, path);
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
