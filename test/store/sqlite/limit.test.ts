import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { limit, sql, type Sql } from '../../../src/store/sqlite/sql.ts';

/** A value as a limit, in the pieces of a statement. */
const bareLimit = /sql`[^`]*LIMIT \$\{[^`}]*\}(?! \+ 0)/;
const folder = fileURLToPath(new URL('../../../src/store/sqlite/', import.meta.url));

/** How many decisions of the authorizer, which SQLite asks when it compiles, a second execution takes. */
function decisionsAgain({ text, values }: Sql): number {
  using database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE t (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID; INSERT INTO t VALUES (1, 2), (1, 3), (1, 4)');
  let decisions = 0;
  database.setAuthorizer(() => {
    decisions += 1;
    return constants.SQLITE_OK;
  });
  const statement = database.prepare(text);
  expect(statement.all(...values)).toHaveLength(2);
  decisions = 0;
  expect(statement.all(...values)).toHaveLength(2);
  return decisions;
}

it('a statement with `limit` is compiled once; SQLite compiles one with a bare parameter at each execution', () => {
  const rows = sql`SELECT b FROM t WHERE a = ${1} ORDER BY b DESC`;
  expect(decisionsAgain(sql`${rows} ${limit(2)}`)).toBe(0);
  expect(decisionsAgain(sql`${rows} LIMIT ${2}`)).toBeGreaterThan(0);
});

it('no statement that is made of pieces has a bare parameter as its limit', () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file => file.endsWith('.ts'));
  expect(files).toContain('walk.ts');
  expect(files.filter(file => bareLimit.test(readFileSync(join(folder, file), 'utf8')))).toEqual([]);
});
