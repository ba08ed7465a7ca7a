import type { Database } from './open.ts';
import { type Rows, rowWidths } from './rows.ts';

type Value = number | string;

/**
 * Collects the rows of a job and writes them in the order of their keys, which is a third faster than the order of the
 * resources. Removals go first.
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

  remove(rows: Rows, ord: number, id: string): void {
    collect(this.#removed, rows, ord, id, 0);
  }

  flush(): void {
    for (const { name, remove } of tables) this.#run(this.#removed[name], remove);
    for (const { name, insert } of tables) this.#run(this.#added[name], insert);
  }

  #run(rows: Value[][], text: string): void {
    if (rows.length === 0) return;
    for (const row of rows.sort(compare)) this.#database.run(text, row);
    rows.length = 0;
  }
}

/** The parameters of all statements: the columns of `Rows`, then ord, id, r. */
const tables = [
  {
    name: 'terms',
    insert: 'INSERT OR IGNORE INTO terms (p, v, item, ord, id, r) VALUES (?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM terms WHERE p = ? AND v = ? AND item = ? AND ord = ? AND id = ? AND ? = 0',
  },
  {
    name: 'strings',
    insert: 'INSERT OR IGNORE INTO strings (p, folded, text, item, ord, id, r) VALUES (?, ?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM strings WHERE p = ? AND folded = ? AND text = ? AND item = ? AND ord = ? AND id = ? AND ? = 0',
  },
  {
    name: 'ranges',
    insert: 'INSERT OR IGNORE INTO ranges (p, k, long, low, high, item, ord, id, r) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    remove:
      'DELETE FROM ranges WHERE p = ? AND k = ? AND long = ? AND low = ? AND high = ? AND item = ? AND ord = ? AND id = ? AND ? = 0',
  },
  {
    name: 'sorts',
    insert: 'INSERT OR IGNORE INTO sorts (p, which, k, ord, id, r) VALUES (?, ?, ?, ?, ?, ?)',
    remove: 'DELETE FROM sorts WHERE p = ? AND which = ? AND k = ? AND ord = ? AND id = ? AND ? = 0',
  },
] as const;

function emptyTables(): Record<keyof Rows, Value[][]> {
  return { terms: [], strings: [], ranges: [], sorts: [] };
}

function collect(into: Record<keyof Rows, Value[][]>, rows: Rows, ord: number, id: string, r: number): void {
  for (const { name } of tables) {
    const flat: readonly Value[] = rows[name];
    const width = rowWidths[name];
    for (let at = 0; at < flat.length; at += width) into[name].push([...flat.slice(at, at + width), ord, id, r]);
  }
}

/** By index, then by value: neighbours in the table are then neighbours in time. */
function compare(a: readonly Value[], b: readonly Value[]): number {
  for (let at = 0; at < a.length; at += 1) {
    const [left, right] = [a[at] ?? 0, b[at] ?? 0];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
