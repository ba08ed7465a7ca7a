import { recordDigest } from '../record/record-digest.ts';
import { versionFault } from '../record/version-fault.ts';
import { attachedTo } from './carried.ts';
import type { Core } from './core.ts';
import { type Column, fillSlice } from './fill-column.ts';
import type { Filled } from './jobs.ts';
import type { Table } from './places.ts';
import { storedVersion } from './row-values.ts';

/** Current versions first: one that is replaced meanwhile is appended to the other table. */
const columns = (['resources', 'versions'] as const).map((table): Column => ({
  table,
  column: 'digest',
  without: `${table} INDEXED BY ${table}_undigested WHERE digest IS NULL`,
  valueOf: (core, rowid) => digestOf(core, table, rowid),
  slice: 50,
}));

/**
 * Adds digests to versions that an older engine wrote without one, in slices. Unreadable and damaged ones get none, so
 * that `verify` keeps reporting them. Each call processes one slice; false if nothing is left.
 */
export function digestFill(core: Core): () => Promise<boolean> {
  const after = { resources: -Infinity, versions: -Infinity };
  return async () => {
    for (const column of columns) {
      const last = (await fillSlice(core, column, after[column.table])).at(-1);
      if (last === undefined) continue;
      after[column.table] = last;
      return true;
    }
    return false;
  };
}

function digestOf({ database }: Core, table: Table, rowid: number): Omit<Filled, 'rowid'> | undefined {
  try {
    const [t, n, type, ...row] =
      database.get(
        `SELECT t, n, type, id, version, last_updated, text FROM ${table} v CROSS JOIN types USING (t) ` +
          'WHERE v.rowid = ?',
        [rowid],
      ) ?? [];
    if (t === undefined) return undefined;
    const stored = storedVersion(String(type), row);
    if (versionFault(stored) !== undefined) return undefined;
    const attachments = attachedTo(database, Number(t), stored.id, stored.version);
    return { version: stored.version, value: recordDigest(Number(n), { ...stored, attachments }) };
  } catch {
    return undefined; // it is in a damaged part of the file
  }
}
