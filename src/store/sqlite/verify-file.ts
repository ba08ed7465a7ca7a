import { closeSync, openSync, readSync } from 'node:fs';
import type { StoreFinding } from '../port/transfer.ts';
import { migrate } from './migrations.ts';
import { type Database, openDatabase } from './open.ts';
import { attempt } from './walk-table.ts';
import { rereadSegments } from './words-table.ts';

/** Maximum number of reported lines of SQLite's own check. */
const mostLines = 100;

/**
 * The findings about the file itself: its header, the declarations of its tables and indexes, and those of SQLite's own
 * check, which reads every used page. https://sqlite.org/pragma.html#pragma_integrity_check
 */
export function fileFindings(database: Database, path: string): readonly StoreFinding[] {
  return [...headerFindings(path), ...declared(database), ...partial(database), ...checkLines(database).map(inFile)];
}

/** What SQLite's own check finds: an index that lacks a row, a page that cannot be read. */
function checkLines(database: Database): readonly string[] {
  attempt(() => rereadSegments(database)); // if they cannot be read, the check says so
  const found = attempt(() =>
    database.all(`PRAGMA integrity_check(${mostLines})`).flatMap(([line]) => String(line).split('\n')),
  );
  if (found.failed !== undefined) return [`the check ended: ${found.failed}`];
  return found.value.filter(line => line !== 'ok' && line !== '' && !line.startsWith('***'));
}

export const inFile = (why: string): StoreFinding => ({ is: 'file', partition: undefined, what: '-', why });

/**
 * Bytes of the header that never change, and that SQLite's check does not read.
 * https://sqlite.org/fileformat.html#the_database_header
 */
function headerFindings(path: string): readonly StoreFinding[] {
  const bytes = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
  const isWal = bytes[18] === 2 && bytes[19] === 2;
  const isReserved = bytes.subarray(72, 92).every(byte => byte === 0);
  return isWal && isReserved ? [] : [inFile('the header of the file was altered')];
}

/**
 * Partial indexes that cannot be read, or have more or fewer entries than rows that meet their condition: the check of
 * SQLite looks for the entries of rows only, and so not into an index that should have none.
 * https://sqlite.org/partialindex.html
 */
function partial(database: Database): readonly StoreFinding[] {
  const indexes = attempt(() =>
    database.all("SELECT name, tbl_name, sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'"),
  );
  return (indexes.value ?? []).flatMap(([name, table, text]) => {
    const condition = String(text).slice(String(text).lastIndexOf(' WHERE '));
    // A filter: a table is read by an index, also where that is not wanted, if it has all that a condition needs.
    const counts = attempt(() =>
      database.get(
        `SELECT (SELECT count(*) FROM ${table} INDEXED BY ${name}${condition}),
          (SELECT count(*) FILTER (${condition}) FROM ${table} NOT INDEXED)`,
      ),
    );
    if (counts.failed !== undefined) return [inFile(`the index \`${name}\`: ${counts.failed}`)];
    const [entries, rows] = counts.value ?? [];
    return entries === rows ? [] : [inFile(`the index \`${name}\` has ${entries} entries for ${rows} rows`)];
  });
}

/** Compares the declarations of the file with those of a new one: no statement finds a changed name. */
function declared(database: Database): readonly StoreFinding[] {
  const fresh = openDatabase(':memory:', 'write');
  try {
    migrate(fresh, ':memory:');
    const kept = new Set(declarations(database));
    return declarations(fresh)
      .filter(one => !kept.has(one))
      .map(one => inFile(`\`${String((JSON.parse(one) as unknown[])[1])}\` has another declaration than expected`));
  } finally {
    fresh.close();
  }
}

/** Line ends in a declaration are those of the engine that made the file. */
const declarations = (database: Database): readonly string[] =>
  database
    .all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
    .map(row => JSON.stringify(row.map(value => (typeof value === 'string' ? value.replace(/\s+/g, ' ') : value))));
