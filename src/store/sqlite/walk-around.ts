import { type Attempt, attempt } from './attempt.ts';
import type { Row } from './open.ts';
import type { SqlValue } from './sql.ts';

/**
 * Reads rows after a key, in its order, or before one against its order; undefined for the beginning. The key comes
 * first in a row.
 */
export type ReadSlice = (from: Row | undefined, backwards: boolean, limit: number) => readonly Row[];

/**
 * Rows in the order of a key of so many columns, in slices. If the order breaks, since a page of the file is unreadable
 * or foreign, it continues from the other end up to the damage. Returns the reason; undefined if all was read.
 */
export function* walkAround(
  read: ReadSlice,
  width: number,
  limit: number,
): Generator<readonly Row[], string | undefined> {
  const forwards = new Walk(read, width, false);
  const why = yield* forwards.slices(limit);
  if (why === undefined) return undefined;
  const backwards = new Walk(read, width, true);
  const end = forwards.last;
  for (const rows of backwards.slices(limit)) {
    const fresh = end === undefined ? rows : rows.filter(row => compareKeys(row, end, width) > 0);
    if (fresh.length > 0) yield fresh;
    if (fresh.length < rows.length) break;
  }
  return why;
}

/** A walk in one direction, until it cannot continue. */
class Walk {
  readonly #read: ReadSlice;
  readonly #width: number;
  readonly #backwards: boolean;
  last: Row | undefined;

  constructor(read: ReadSlice, width: number, backwards: boolean) {
    this.#read = read;
    this.#width = width;
    this.#backwards = backwards;
  }

  *slices(limit: number): Generator<readonly Row[], string | undefined> {
    // Row by row up to the damage, which may be within a slice.
    for (let left = 0; ; left -= 1) {
      const most = left > 0 ? 1 : limit;
      const found = this.#next(most);
      if (found.failed !== undefined) {
        if (left > 0 || limit === 1) return found.failed;
        left = limit + 1;
        continue;
      }
      const rows = found.value;
      if (rows.length > 0) yield rows;
      this.last = rows.at(-1) ?? this.last;
      if (rows.length < most) return undefined;
    }
  }

  #next(limit: number): Attempt<readonly Row[]> {
    const found = attempt(() => this.#read(this.last, this.#backwards, limit));
    if (found.failed !== undefined) return found;
    const direction = this.#backwards ? -1 : 1;
    let before = this.last;
    for (const row of found.value) {
      if (before !== undefined && compareKeys(row, before, this.#width) * direction <= 0)
        return { failed: 'rows are out of order' };
      before = row;
    }
    return found;
  }
}

/**
 * The order of SQLite for the first columns of rows: numbers, then texts by their bytes.
 * https://sqlite.org/datatype3.html#sort_order
 */
export function compareKeys(a: Row, b: Row, width: number): number {
  for (let at = 0; at < width; at += 1) {
    const order = compareValues(a[at] ?? null, b[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: SqlValue, b: SqlValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return classOf(a) - classOf(b);
}

const classOf = (value: SqlValue): number => (value === null ? 0 : typeof value === 'number' ? 1 : 2);
