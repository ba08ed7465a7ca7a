import { isOfUrl } from '../keys/terms.ts';
import { raiseEpoch } from './dictionary.ts';
import type { Database } from './open.ts';
import { type Rows, rowWidths } from './rows.ts';
import { deleteWords, insertWords } from './words-table.ts';

type Value = number | string;

/**
 * Collects the rows of a job and writes them in the order of their keys, which is a third faster than the order of the
 * resources. Deletions come first.
 */
export class RowWriter {
  readonly #database: Database;
  readonly #added = emptyTables();
  readonly #removed = emptyTables();

  constructor(database: Database) {
    this.#database = database;
  }

  add(rows: Rows, ord: number, id: string, r: number): void {
    collect(this.#added, rows, ord, id, r);
  }

  remove(rows: Rows, ord: number, id: string, r: number): void {
    collect(this.#removed, rows, ord, id, r);
  }

  flush(): void {
    for (const { name, remove } of tables) {
      for (const row of this.#removed[name].sort(compare)) this.#database.run(remove, row);
      this.#removed[name].length = 0;
    }
    // Rows are `p, v, …` here.
    const absolute = this.#added.terms.flatMap(([p, v]) => (isOfUrl(String(v)) ? [Number(p)] : []));
    if (absolute.length > 0) markAbsolute(this.#database, new Set(absolute));
    for (const { name, insert, row } of tables) this.#insert(this.#added[name], insert, row);
    this.#flushWords();
  }

  /** Rows are `p, text, ord, id, r` here. */
  #flushWords(): void {
    const { words: removed } = this.#removed;
    const { words: added } = this.#added;
    for (const [p = 0, , , , r = 0] of removed) this.#database.run(deleteWords, [p, r]);
    for (const [p = 0, text = '', , , r = 0] of added.sort(compareWords)) {
      this.#database.run(insertWords, [p, r, text]);
    }
    removed.length = 0;
    added.length = 0;
  }

  #insert(rows: Value[][], text: string, row: string): void {
    rows.sort(compare);
    const together = rows.length - (rows.length % many);
    const ofMany = together === 0 ? '' : `${text} ${Array.from({ length: many }, () => row).join(', ')}`;
    for (let at = 0; at < together; at += many) this.#database.run(ofMany, rows.slice(at, at + many).flat());
    for (const one of rows.slice(together)) this.#database.run(`${text} ${row}`, one);
    rows.length = 0;
  }
}

/** Rows per insert statement, if there are so many: each statement has its own cost. */
const many = 16;

/** The parameters of all statements: the columns of `Rows`, then ord, id, r. */
const tables = [
  {
    name: 'terms',
    insert: 'INSERT OR IGNORE INTO terms (p, v, item, ord, id, r) VALUES',
    row: '(?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM terms WHERE p = ? AND v = ? AND item = ? AND ord = ? AND id = ? AND ? > 0',
  },
  {
    name: 'strings',
    insert: 'INSERT OR IGNORE INTO strings (p, folded, text, item, ord, id, r) VALUES',
    row: '(?, ?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM strings WHERE p = ? AND folded = ? AND text = ? AND item = ? AND ord = ? AND id = ? AND ? > 0',
  },
  {
    name: 'ranges',
    insert: 'INSERT OR IGNORE INTO ranges (p, k, long, low, high, item, ord, id, r) VALUES',
    row: '(?, ?, ?, ?, ?, ?, ?, ?, ?)',
    remove:
      'DELETE FROM ranges WHERE p = ? AND k = ? AND long = ? AND low = ? AND high = ? AND item = ? AND ' +
      'ord = ? AND id = ? AND ? > 0',
  },
  {
    name: 'sorts',
    insert: 'INSERT OR IGNORE INTO sorts (p, which, k, ord, id, r) VALUES',
    row: '(?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM sorts WHERE p = ? AND which = ? AND k = ? AND ord = ? AND id = ? AND ? > 0',
  },
] as const;

/** In the order of the numbers of their rows. */
const compareWords = (a: readonly Value[], b: readonly Value[]): number =>
  Number(a[0]) - Number(b[0]) || Number(a[4]) - Number(b[4]);

function emptyTables(): Record<keyof Rows, Value[][]> {
  return { terms: [], strings: [], ranges: [], sorts: [], words: [] };
}

const names = [...tables.map(({ name }) => name), 'words'] as const;

function collect(into: Record<keyof Rows, Value[][]>, rows: Rows, ord: number, id: string, r: number): void {
  for (const name of names) {
    const flat: readonly Value[] = rows[name];
    const width = rowWidths[name];
    for (let at = 0; at < flat.length; at += width) {
      const row = flat.slice(at, at + width);
      row.push(ord, id, r);
      into[name].push(row);
    }
  }
}

/** Orders rows by index, then by value: neighbours in the table are then written together. */
function compare(a: readonly Value[], b: readonly Value[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const [left, right] = [a[at] ?? 0, b[at] ?? 0];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Notes that indexes have entries of absolute references, so that searches include those too. */
function markAbsolute(database: Database, indexes: Iterable<number>): void {
  let changed = 0;
  for (const p of indexes)
    changed += database.run('UPDATE parameters SET absolute = 1 WHERE p = ? AND absolute = 0', [p]).changes;
  if (changed > 0) raiseEpoch(database);
}
