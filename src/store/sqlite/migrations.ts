import { freeOfPublicUrl } from './absolute-schema.ts';
import { StoreRefused } from '../port/errors.ts';
import type { LayoutChange } from '../layout-change.ts';
import { type Database } from './open.ts';
import { isBusy } from './sqlite-error.ts';
import { addDigests } from './digests-schema.ts';
import { attachmentsSchema, historySchema, ownersSchema, schema } from './schema.ts';

/** "crs1": identifies the file among other SQLite files. */
const applicationId = 0x63727331;

interface Step extends Omit<LayoutChange, 'layout'> {
  readonly make: (database: Database) => void;
}

const run =
  (text: string) =>
  (database: Database): void =>
    database.exec(text);

/**
 * The steps from each layout to the next; their number is the layout that this engine writes. Never edit a released
 * one.
 */
const steps: readonly Step[] = [
  { change: 'The tables of a store', make: run(schema) },
  { change: 'Tables for attachments and idempotency keys', make: run(attachmentsSchema) },
  {
    change: 'A digest of each version, by which `verify` finds damage',
    work: { of: 'versions', perSecond: 2_000, when: 'background' },
    make: addDigests,
  },
  {
    change: 'Index entries of absolute references do not depend on the public URL; those indexes are rebuilt',
    work: { of: 'records', perSecond: 900, when: 'start' },
    make: freeOfPublicUrl,
  },
  {
    change: 'The owners of each record are stored',
    work: { of: 'records', perSecond: 2_000, when: 'start' },
    make: run(ownersSchema),
  },
  {
    change: 'Indexes of versions by time, for the history of types',
    work: { of: 'versions', perSecond: 100_000, when: 'start' },
    make: run(historySchema),
  },
];

/** What each step changes, from the second layout on. */
export const layoutChanges: readonly LayoutChange[] = steps
  .map(({ change, work }, at) => ({ layout: at + 1, change, ...(work && { work }) }))
  .slice(1);

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
    for (const step of steps.slice(layoutOf(database, path))) step.make(database);
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
