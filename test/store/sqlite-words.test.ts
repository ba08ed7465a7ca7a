import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBackupSource, restoreStore } from '../../src/store/backup/open.ts';
import { check, sourcesOf } from '../../src/store/sqlite/clause-sql.ts';
import { type Database, openDatabase } from '../../src/store/sqlite/open.ts';
import { requireFullText } from '../../src/store/sqlite/words-table.ts';
import { sql, type Sql } from '../../src/store/sqlite/sql.ts';
import { hasWords, narrative, wordsContract, written } from './contract-words.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps, storeSteps } from './support/verified.ts';

const model = t.modelOf([narrative, t.date], 'words');
const long = Array.from({ length: 120 }, (_, at) => `word${at}`);

/** Number of rows with words. */
function rowsOf(path: string): number {
  const database = new DatabaseSync(path);
  const found = database.prepare('SELECT count(*) AS n FROM words').get();
  database.close();
  return Number(found?.['n']);
}

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

  it('has its words checked by a complete verification, and in a backup', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model });
    await demo.write([t.put('a', [written('chest pain')]), t.put('b', [written(long.join(' '))])], t.each);
    expect((await storeSteps(store)).flatMap(({ findings }) => findings)).toEqual([]);
    await store.close();
    const reading = await t.openDemo(place.url, { model, mode: 'read' });
    expect(await t.find(reading.demo, hasWords('word7'))).toEqual(['b']);
    await reading.store.close();

    const [folder, restored] = [`${place.path}-backup`, `${place.path}-restored`];
    const source = await openBackupSource(place.url);
    const { findings } = await source.backup({ folder, pace: Infinity, progress: () => {} });
    source.close();
    expect(findings).toEqual([]);
    const options = { folder, progress: () => {}, audited: (_: unknown, lastStep: () => Promise<void>) => lastStep() };
    await restoreStore(`sqlite:${restored}`, options);
    const again = await t.openDemo(`sqlite:${restored}`, { model });
    expect(await t.find(again.demo, hasWords('"chest pain"'))).toEqual(['a']);
    expect((await storeSteps(again.store)).flatMap(one => one.findings)).toEqual([]);
    await again.store.close();
  });

  it('reports words that cannot be read, and verifies the rest', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model });
    await demo.write([t.put('a', [written('chest pain')]), t.put('b')], t.each);
    const database = new DatabaseSync(place.path);
    database.enableDefensive(false);
    database.exec('DELETE FROM words_data; DELETE FROM words_docsize');
    database.close();
    const findings = (await indexSteps(store, 'demo')).flatMap(step =>
      step.findings.map(({ what, why }) => what + why),
    );
    expect(findings).toContainEqual('Basic/a`narrative` lacks an entry');
    await store.close();
  });

  it('sweeps the words of indexes that the definitions dropped', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const first = await t.openDemo(place.url, { model });
    await first.demo.write([t.put('a', [written('chest pain')])]);
    await first.store.close();
    const { store } = await t.openDemo(place.url);
    await expect.poll(() => rowsOf(place.path)).toBe(0);
    await store.close();
  });

  it('merges the segments of the words in the background', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const segments = (): number => {
      const database = new DatabaseSync(place.path);
      const found = database.prepare('SELECT count(DISTINCT segid) AS n FROM words_idx').get();
      database.close();
      return Number(found?.['n']);
    };
    const ids = Array.from({ length: 15 }, (_, at) => `r${String(at).padStart(2, '0')}`);
    const first = await t.openDemo(place.url, { model, mode: 'command' });
    for (const id of ids) await first.demo.write([t.put(id, [written('chest pain')])]);
    await first.demo.write([t.remove('r03')]);
    await first.store.close();
    expect(segments()).toBeGreaterThan(4);
    const { store, demo } = await t.openDemo(place.url, { model });
    await expect.poll(segments).toBeLessThan(3);
    expect((await t.find(demo, hasWords('pain'))).toSorted()).toEqual(ids.filter(id => id !== 'r03'));
    expect((await storeSteps(store)).flatMap(({ findings }) => findings)).toEqual([]);
    await store.close();
  });

  it('are found sound after a search and a merge by another connection', async () => {
    const place = await t.newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model });
    for (const id of ['a', 'b', 'c', 'd', 'e']) await demo.write([t.put(id, [written('chest pain')])]);
    expect(await t.find(demo, hasWords('pain'))).toHaveLength(5); // FTS5 keeps the list of the segments that it read
    const other = new DatabaseSync(place.path);
    other.exec(`INSERT INTO words (words) VALUES ('optimize')`);
    other.close();
    expect((await storeSteps(store)).flatMap(({ findings }) => findings)).toEqual([]);
    await store.close();
  });

  it('refuses definitions with full text where SQLite has no FTS5', () => {
    const other = { get: () => undefined } as unknown as Database; // a build without modules
    expect(() => requireFullText(other)).toThrow(/^The definitions declare full-text search .* needs FTS5, .*\.$/);
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
