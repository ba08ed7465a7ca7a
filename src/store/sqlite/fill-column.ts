import { type Core, submit } from './core.ts';
import type { Filled, FillJob } from './jobs.ts';

/** A column that versions of an older layout lack. */
export interface Column extends Pick<FillJob, 'table' | 'column'> {
  /** Table, index and condition of the rows without it. */
  readonly without: string;
  /** Undefined for a row that gets none. */
  readonly valueOf: (core: Core, rowid: number) => Omit<Filled, 'rowid'> | undefined;
  /** Rows per slice: its commit stays short. */
  readonly slice: number;
}

/** Fills a column in the next rows after one that lack it. Returns the numbers of these rows. */
export async function fillSlice(
  core: Core,
  { table, column, without, valueOf, slice }: Column,
  after: number,
): Promise<readonly number[]> {
  const rowids = core.database
    .all(`SELECT rowid FROM ${without} AND rowid > ? ORDER BY rowid LIMIT ?`, [after, slice])
    .map(([rowid]) => Number(rowid));
  const rows = rowids.flatMap(rowid => {
    const value = valueOf(core, rowid);
    return value === undefined ? [] : [{ rowid, ...value }];
  });
  if (rows.length > 0) await submit(core, () => ({ kind: 'fill', table, column, rows }));
  return rowids;
}
