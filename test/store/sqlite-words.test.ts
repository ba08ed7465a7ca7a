import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { check, sourcesOf } from '../../src/store/sqlite/clause-sql.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { sql, type Sql } from '../../src/store/sqlite/sql.ts';
import { narrative, wordsContract, written } from './contract-words.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps } from './support/verified.ts';

const model = t.modelOf([narrative, t.date], 'words');
const long = Array.from({ length: 120 }, (_, at) => `word${at}`);

describe('SQLite', () => {
  wordsContract(t.newPlace);

  it('searches the words by ranges of their table', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    await (await t.openDemo(place.url, { model })).store.close();
    const database = openDatabase(place.path, 'read');
    const clauseOf = (isPrefix: boolean) =>
      ({ kind: 'words', index: 7, phrases: [{ text: 'chest pain', isPrefix }] }) as const;
    const planOf = ({ text, values }: Sql): string =>
      database
        .all(`EXPLAIN QUERY PLAN ${text}`, values)
        .map(row => String(row[3]))
        .join('; ');
    // M: the search; `><`: the range of rowids; `=`: one of them.
    const [source] = sourcesOf(clauseOf(true), 1);
    expect(source?.arms.map(({ range }) => planOf(range))).toEqual([
      'SCAN w VIRTUAL TABLE INDEX 0:M1><; SEARCH c USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
    const checked = (isPrefix: boolean): string =>
      planOf(sql`SELECT 1 FROM resources c WHERE c.r = 5 AND ${check(clauseOf(isPrefix))}`);
    expect(checked(false)).toContain('VIRTUAL TABLE INDEX 0:=M1');
    expect(checked(true)).toMatch(/^SEARCH c .*; LIST SUBQUERY 1; SCAN words VIRTUAL TABLE INDEX 0:M1></);
    database.close();
  });

  it('has no table of words before a definition needs one', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const tables = (): unknown => {
      const database = new DatabaseSync(place.path);
      const found = database.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'words%'`).get();
      database.close();
      return found?.['n'];
    };
    await (await t.openDemo(place.url)).store.close();
    expect(tables()).toBe(0);
    await (await t.openDemo(place.url, { model })).store.close();
    expect(tables()).toBeGreaterThan(0);
  });

  it.each([
    ['words that are gone', 'DELETE FROM words WHERE rowid = n', /Basic\/a: `narrative` lacks an entry/],
    [
      'other words',
      `INSERT OR REPLACE INTO words (rowid, text) VALUES (n, 'pain chest')`,
      /Basic\/a: `narrative` lacks/,
    ],
    [
      'a word more',
      `INSERT OR REPLACE INTO words (rowid, text) VALUES (n, 'chest pain .')`,
      /Basic\/a: `narrative` lacks/,
    ],
    [
      'a long text without one word',
      `INSERT OR REPLACE INTO words (rowid, text) VALUES (n + 1, '${long.with(110, 'other').join(' ')}')`,
      /Basic\/b: `narrative` lacks an entry/,
    ],
    [
      'words of a record that has none',
      `INSERT INTO words (rowid, text) VALUES (n + 2, 'pain')`,
      /Basic\/c: `narrative` has an entry too many/,
    ],
    [
      'words of no record',
      `INSERT INTO words (rowid, text) VALUES (n + 99, 'pain')`,
      /Basic\?narrative: `narrative` has an entry too many/,
    ],
  ])('finds %s, and a rebuild mends it', async (_, sql, found) => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model });
    await demo.write([t.put('a', [written('chest pain')]), t.put('b', [written(long.join(' '))]), t.put('c')], t.each);
    const findings = async () =>
      (await indexSteps(store, 'demo')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));
    expect(await findings()).toEqual([]);
    const database = new DatabaseSync(place.path);
    database.exec(sql.replace(/\bn\b/, '(SELECT min(rowid) FROM words)'));
    database.close();
    expect(await findings()).toEqual([expect.stringMatching(found)]);
    await list(store.indexes.rebuild('demo'));
    expect(await findings()).toEqual([]);
    await store.close();
  });
});
