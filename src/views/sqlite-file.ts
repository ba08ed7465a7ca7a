import { DatabaseSync } from 'node:sqlite';
import { cellText, wholeNumber } from './cell.ts';
import type { Cell } from './cell.ts';
import type { ViewRow } from './rows.ts';
import { createTable, quoted, storageOf } from './sql.ts';
import type { View, ViewColumn } from './view.ts';

/**
 * Writes the rows of a view into an empty file as an SQLite database with one table, which has the name of the view.
 * Throws Error for columns whose names differ in their case only, since SQLite does not tell these apart.
 */
export async function writeSqliteFile(
  path: string,
  view: View,
  batches: AsyncIterable<readonly ViewRow[]>,
): Promise<void> {
  const { columns, name = 'view' } = view;
  const names = new Map<string, string>();
  for (const column of columns) {
    const other = names.get(column.name.toLowerCase());
    if (other !== undefined)
      throw new Error(
        `SQLite does not tell the columns \`${other}\` and \`${column.name}\` apart; choose another format.`,
      );
    names.set(column.name.toLowerCase(), column.name);
  }
  const database = new DatabaseSync(path);
  try {
    // The file is new, and is removed after an error.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    database.exec(createTable(view, column => (storageOf(column) === 'text' ? 'TEXT' : 'INTEGER')));
    const insert = database.prepare(`INSERT INTO ${quoted(name)} VALUES (${columns.map(() => '?').join(', ')})`);
    for await (const rows of batches) {
      for (const row of rows) insert.run(...columns.map((column, at) => valueOf(column, row[at] ?? null)));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function valueOf(column: ViewColumn, cell: Cell): string | number | bigint | null {
  if (typeof cell === 'boolean' && storageOf(column) === 'boolean') return cell ? 1 : 0;
  const isInteger = storageOf(column) === 'integer' || storageOf(column) === 'long';
  return (isInteger ? wholeNumber(cell) : undefined) ?? cellText(cell);
}
