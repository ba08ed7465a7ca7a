import { attempt } from './attempt.ts';
import type { Row } from './open.ts';

/** Reads so many rows of a table after a rowid, which is their first column, in its order. */
export type ReadRows = (after: number, limit: number) => readonly Row[];

/** The largest rowid that is exact in JavaScript. SQLite counts them from 1. */
const highest = Number.MAX_SAFE_INTEGER;
/** Rowids after a damage that are tried one by one: a few pages of it. */
const near = 1_000;

/** A part of a walk along a table: rows, or an unreadable part. */
export type Stretch = { readonly rows: readonly Row[] } | { readonly after: number; readonly why: string };

/**
 * All readable rows of a table, in the order of their rowids, in slices: continues after an unreadable or foreign page,
 * and reports it. With much damage it may miss readable rows in between; the indexes of the table reveal those, and the
 * unreadable ones.
 */
export function* rowsAround(read: ReadRows, limit: number): Generator<Stretch, void> {
  let single = 0;
  for (let after = 0; ;) {
    const most = single > 0 ? 1 : limit;
    const found = readAfter(read, after, most);
    if (typeof found !== 'string') {
      if (found.length > 0) yield { rows: found };
      if (found.length < most) return;
      after = rowidOf(found.at(-1)) ?? highest;
      single -= 1;
    } else if (single <= 0 && limit > 1) {
      // Row by row up to the damage.
      single = limit;
    } else {
      yield { after, why: found };
      const next = readableAfter(read, after);
      if (next === undefined) return;
      after = next;
      single = limit;
    }
  }
}

/** The error, if they cannot be read. */
function readAfter(read: ReadRows, after: number, limit: number): readonly Row[] | string {
  const found = attempt(() => read(after, limit));
  if (found.failed !== undefined) return found.failed;
  let before = after;
  for (const row of found.value) {
    const rowid = rowidOf(row);
    if (rowid === undefined || rowid <= before) return 'rows are out of order';
    before = rowid;
  }
  return found.value;
}

/** A position after which rows are readable again, with no earlier one; undefined if there is none. */
function readableAfter(read: ReadRows, broken: number): number | undefined {
  const isReadable = (after: number): boolean => typeof readAfter(read, after, 1) !== 'string';
  for (let after = broken + 1; after <= broken + near; after += 1) if (isReadable(after)) return after;
  let low = broken + near;
  let high = low;
  for (let step = near; !isReadable(high); step *= 2) {
    if (high === highest) return undefined;
    low = high;
    high = Math.min(highest, high + step);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isReadable(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const rowidOf = (row: Row | undefined): number | undefined => (typeof row?.[0] === 'number' ? row[0] : undefined);
