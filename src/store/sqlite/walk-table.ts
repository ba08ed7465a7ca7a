import type { Database, Row } from './open.ts';
import type { SqlValue } from './sql.ts';
import { walkAround } from './walk-around.ts';

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
 * The readable rows of a table in slices of `limit`: from both ends, if the file is damaged. Returns why
 * not all could be read; undefined if all were.
 */
export function walkTable(
  database: Database,
  { from, key, rest = [], reals = [], where: [condition, ...values] = ['TRUE'] }: Walked,
  limit: number,
): Generator<readonly Row[], string | undefined> {
  const read = (column: string): string => (reals.includes(column) ? `CAST(${column} AS REAL)` : column);
  const start = `SELECT ${[...key, ...rest].map(read).join(', ')} FROM ${from} WHERE ${condition}`;
  const marks = key.map(() => '?').join(', ');
  return walkAround(
    (last, backwards, most) => {
      const behind = last === undefined ? '' : `AND (${key.join(', ')}) ${backwards ? '<' : '>'} (${marks})`;
      const order = key.map(column => `${column} ${backwards ? 'DESC' : 'ASC'}`).join(', ');
      return database.all(`${start} ${behind} ORDER BY ${order} LIMIT ?`, [
        ...values,
        ...(last?.slice(0, key.length) ?? []),
        most,
      ]);
    },
    key.length,
    limit,
  );
}
