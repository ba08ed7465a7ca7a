import { StoreUnavailable } from '../port/errors.ts';
import type { Database, Row } from './open.ts';
import type { SqlValue } from './sql.ts';

/** The rows of a table to read, and their order. */
export interface Walked {
  /** The table, optionally with the index by which it is read. */
  readonly from: string;
  /** The columns that order the rows; they come first in each. */
  readonly key: readonly string[];
  /** Further columns. */
  readonly rest?: readonly string[];
  /** Columns of numbers among them: SQLite stores whole ones as integers, which cannot be read beyond 2^53. */
  readonly reals?: readonly string[];
  /** A condition on the rows, with its values. */
  readonly where?: readonly [condition: string, ...values: SqlValue[]];
}

/**
 * The rows of a table in slices of `limit`. Throws the error of a read that fails, and Error where a page of the file
 * leads back to rows before it.
 */
export function* walkTable(
  database: Database,
  { from, key, rest = [], reals = [], where: [condition, ...values] = ['TRUE'] }: Walked,
  limit: number,
): Iterable<readonly Row[]> {
  const read = (column: string): string => (reals.includes(column) ? `CAST(${column} AS REAL)` : column);
  const columns = [...key, ...rest].map(read).join(', ');
  const ordered = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`;
  let last: Row = [];
  for (let isFirst = true; ; isFirst = false) {
    const follows = isFirst ? 'TRUE' : ordered;
    const rows = database.all(
      `SELECT ${columns}, ${follows} FROM ${from} WHERE ${condition} AND ${follows} ORDER BY ${key.join(', ')} LIMIT ?`,
      [...last, ...values, ...last, limit],
    );
    const end = rows.at(-1);
    if (end !== undefined && end.at(-1) !== 1) throw new Error('rows are out of order');
    if (rows.length > 0) yield rows.map(row => row.slice(0, -1));
    if (end === undefined || rows.length < limit) return;
    last = end.slice(0, key.length);
  }
}

/** The result of a read, or the reason of its failure: in a damaged file one statement fails, and others work. */
export type Attempt<T> =
  { readonly value: T; readonly failed?: undefined } | { readonly value?: undefined; readonly failed: string };

/** Any error counts: a damaged row may have invalid values, such as a number that is too large for JavaScript. */
export function attempt<T>(read: () => T): Attempt<T> {
  try {
    return { value: read() };
  } catch (error) {
    return { failed: reasonOf(error) };
  }
}

/** The message of an error; that of SQLite, if the port has wrapped it. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof StoreUnavailable ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
