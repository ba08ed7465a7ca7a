import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import program from '../../package.json' with { type: 'json' };
import { layout as mongoLayout, layoutChanges as mongoChanges } from '../../src/store/mongo/prepare-database.ts';
import { layout, layoutChanges, layouts } from '../../src/store/sqlite/migrations.ts';
import { secondsOf } from '../../src/store/layout.ts';
import { placeOldestSqlite } from '../store/support/layouts.ts';
import { inOneProcess } from './one-process.ts';
import { root } from './process.ts';

const run = inOneProcess();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string): string => join(folder, name);
const check = (name: string, ...flags: string[]) =>
  run(['upgrade', 'check', '--store', `sqlite:${file(name)}`, ...flags]);

describe('upgrade check', () => {
  it('says what a start would change in a store of the oldest layout, and changes nothing', async () => {
    await placeOldestSqlite(file('oldest.sqlite'));
    const before = readFileSync(file('oldest.sqlite'));
    const { code, stdout } = await check('oldest.sqlite');
    const { oldest } = layouts;
    expect(stdout.split('\n')).toEqual([
      `Version ${program.version} has layout ${layout}; the store has layout ${oldest}, ` +
        '13 records and 3 older versions.',
      ...layoutChanges.map(one => expect.stringMatching(`^${one.layout}\t${one.change}\t`) as string),
      expect.stringMatching(layoutChanges.length === 0 ? /^A start changes nothing\.$/ : /^The next start of `serve`/),
      'No backup was named: `backup DIR` makes one, `--backup DIR` names it.',
      '',
    ]);
    expect(code).toBe(3);
    expect(readFileSync(file('oldest.sqlite')).equals(before)).toBe(true);
  });

  it('finds nothing to do in a current store, and a recent backup of it', async () => {
    const store = ['--store', `sqlite:${file('new.sqlite')}`];
    await run(['partition', 'add', 'clinic', ...store]);
    expect((await run(['backup', file('backup'), ...store])).code).toBe(0);
    const { code, stdout } = await check('new.sqlite', '--backup', file('backup'));
    const [state = '', change, backup = '', ...more] = stdout.split('\n');
    expect(state).toMatch(/has layout (\d+); the store has layout \1, 0 records and 0 older versions\.$/);
    expect([change, more]).toEqual(['A start changes nothing.', ['']]);
    expect(backup).toMatch(/^The backup of \S+Z has 0 records \(the store has 0\)\. It is recent\.$/);
    expect(code).toBe(0);
  });

  it('has findings if the backup is old, and refuses a folder that is none', async () => {
    const path = join(file('backup'), 'backup.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
    const old = new Date(Date.now() - 30 * 3_600_000).toISOString();
    writeFileSync(path, JSON.stringify({ ...manifest, time: old }));
    const found = await check('new.sqlite', '--backup', file('backup'));
    expect([found.code, found.stdout]).toEqual([3, expect.stringContaining('It is 31 hours old: make another one')]);
    expect((await check('new.sqlite', '--backup', file('backup'), '--max-age', '48')).code).toBe(0);
    const none = await check('new.sqlite', '--backup', folder);
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is not a whole backup')]);
  });

  it.each([
    [layout + 1, `was written by a newer version (layout ${layout + 1}; this one knows ${layout}); use that version`],
    [
      layouts.oldest - 1,
      `was written by an older version (layout ${layouts.oldest - 1}; this one upgrades layouts from ` +
        `${layouts.oldest} on); upgrade it with an earlier version first`,
    ],
  ])('refuses layout %i, which this version does not know, as every command does', async (found, sentence) => {
    await placeOldestSqlite(file('other.sqlite'));
    const database = new DatabaseSync(file('other.sqlite'));
    database.exec(`PRAGMA user_version = ${found}`);
    database.close();
    for (const command of [
      ['upgrade', 'check'],
      ['partition', 'list'],
      ['backup', file('other')],
    ]) {
      const { code, stderr } = await run([...command, '--store', `sqlite:${file('other.sqlite')}`]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    }
    const missing = await check('none.sqlite');
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no store at')]);
  });

  it('knows each layout of both stores', () => {
    const { oldest } = layouts;
    expect(layoutChanges.map(one => one.layout)).toEqual(
      Array.from({ length: layout - oldest }, (_, n) => oldest + n + 1),
    );
    expect(mongoChanges.map(one => one.layout)).toEqual(Array.from({ length: mongoLayout - 4 }, (_, n) => n + 5));
  });

  it('estimates from the number of records, or of all versions', () => {
    const counts = { records: 1_000, versions: 500 };
    const work = { perSecond: 100, when: 'start' } as const;
    expect(secondsOf({ layout: 2, change: '', work: { ...work, of: 'records' } }, counts)).toBe(10);
    expect(secondsOf({ layout: 2, change: '', work: { ...work, of: 'versions' } }, counts)).toBe(15);
    expect(secondsOf({ layout: 2, change: '' }, counts)).toBe(0);
  });
});

describe('the version', () => {
  it('is printed by `--version`, and heads the list of changes', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${program.name} ${program.version}\n`, stderr: '' });
    const changes = readFileSync(join(root, 'src/CHANGES.md'), 'utf8');
    expect(/^## (\S+)/m.exec(changes)?.[1]).toBe(program.version);
    expect(changes).toContain(`layout ${layout} of SQLite, ${mongoLayout} of MongoDB`);
  });
});
