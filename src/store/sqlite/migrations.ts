import { freeOfPublicUrl } from './absolute-schema.ts';
import { StoreRefused } from '../errors.ts';
import { type Database } from './open.ts';
import { isBusy } from './sqlite-error.ts';
import { addDigests } from './digests-schema.ts';
import { attachmentsSchema, historySchema, ownersSchema, schema } from './schema.ts';

/** "crs1": identifies the file among other SQLite files. */
const applicationId = 0x63727331;

/**
 * The steps from each layout to the next; their number is the layout that this engine writes. Never edit a released
 * one.
 */
const steps: readonly ((database: Database) => void)[] = [
  database => database.exec(schema),
  database => database.exec(attachmentsSchema),
  addDigests,
  freeOfPublicUrl,
  database => database.exec(ownersSchema),
  database => database.exec(historySchema),
];

/** The layout that this engine reads and writes. */
export const layout = steps.length;

/**
 * Creates or upgrades the layout in one transaction. Throws `StoreRefused` for a newer layout or a file with other
 * content.
 */
export function migrate(database: Database, path: string): void {
  if (layoutOf(database, path) === layout) return;
  database.exec('PRAGMA page_size = 8192');
  walMode(database);
  database.transaction(() => {
    for (const step of steps.slice(layoutOf(database, path))) step(database);
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
  const found = layoutOf(database, path);
  if (found === 0) throw new StoreRefused(`\`${path}\` is empty: it has no store`);
  if (found < layout)
    throw new StoreRefused(`\`${path}\` has layout ${found}; start the server once so that it becomes ${layout}`);
}

/** The layout of a file, 0 for an empty one. Throws `StoreRefused` for a newer layout or a file with other content. */
export function layoutOf(database: Database, path: string): number {
  const found = Number(database.get('PRAGMA user_version')?.[0]);
  const id = Number(database.get('PRAGMA application_id')?.[0]);
  if (id !== applicationId && (found !== 0 || database.get('SELECT count(*) FROM sqlite_schema')?.[0] !== 0))
    throw new StoreRefused(`\`${path}\` is an SQLite file with other content; name another file`);
  if (found > layout)
    throw new StoreRefused(
      `\`${path}\` was written by a newer version (layout ${found}; this one knows ${layout}); use that version`,
    );
  return found;
}
