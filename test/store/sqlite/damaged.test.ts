import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/demo/random.ts';
import { inOneProcess } from '../../cli/one-process.ts';
import { launch } from '../../cli/process.ts';
import { createFaults, noFaults, unlessFaults } from '../../support/faults/faults.ts';
import { fillStore, moreDefinitions } from '../../support/filled-store.ts';
import { damaged, kinds } from './support/damage.ts';
import { livePages } from './support/live-bytes.ts';

/** How many stores are damaged; and where, the same again with the seed that the title of a failure has. */
const rounds = Number(process.env['CRS_TEST_DAMAGED'] ?? 6);
const seed = process.env['CRS_TEST_SEED'] ?? String(Date.now());

const run = inOneProcess();
let folder: string;
let file: string;
let original: Buffer;
let before: ReadonlyMap<string, string>;
let rows: ReturnType<typeof rowsIn>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  file = join(folder, 'records.sqlite');
  await fillStore(`sqlite:${file}`, 200);
  original = await readFile(file);
  readNames(file);
  before = versionsIn(file);
  rows = rowsIn(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const verify = () => run(['verify', '--store', `sqlite:${file}`, '--definitions', moreDefinitions]);

/**
 * Each version of a record as a finding names it, with what is read of it as a request would; nothing where it cannot
 * be read.
 */
function versionsIn(path: string): ReadonlyMap<string, string> {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = new Map<string, string>();
  const read = (name: string, table: string, where: string, values: readonly (string | number)[]): void => {
    try {
      const found = database.prepare(`SELECT version, last_updated, text FROM ${table} WHERE ${where}`).all(...values);
      all.set(name, JSON.stringify(found));
    } catch {
      // It is not there.
    }
  };
  for (const [name, { t, id, version }] of names) {
    if (version === undefined) read(name, 'resources', 't = ? AND id = ?', [t, id]);
    else read(name, 'versions', 't = ? AND id = ? AND version = ?', [t, id, version]);
  }
  database.close();
  return all;
}

/** Read once, where nothing is damaged: partition and `Type/id`, with the version of an older one. */
const names = new Map<string, { readonly t: number; readonly id: string; readonly version: number | undefined }>();
function readNames(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      'SELECT t, p.id AS partition, type, v.id AS id, version FROM (SELECT t, id, NULL AS version FROM ' +
        'resources UNION ALL SELECT t, id, version FROM versions) v JOIN types USING (t) JOIN partitions p USING (n)',
    )
    .all();
  database.close();
  for (const { t, partition, type, id, version } of rows) {
    const record = `${String(partition)}\t${String(type)}/${String(id)}`;
    const older = version === null ? undefined : Number(version);
    const name = older === undefined ? record : `${record}/_history/${older}`;
    names.set(name, { t: Number(t), id: String(id), version: older });
  }
}

describe.skipIf(noFaults !== undefined)(`a disk that fails to read${unlessFaults}`, () => {
  it.each([0, 5, 40])('is found from read %i on, and what can be read is checked', async skip => {
    const faults = createFaults(folder);
    const child = launch(['verify', '--store', `sqlite:${file}`, '--definitions', moreDefinitions], {
      env: faults.env,
    });
    faults.set({ operation: 'read', error: 'EIO', path: 'records.sqlite$', skip, count: 3 });
    const code = await child.ended;
    const found = /\tfile\t.*(I\/O error|error code=\d+)/;
    expect([code, child.stdout()]).toEqual([3, expect.stringMatching(found)]);
    expect(faults.fired()).not.toEqual([]);
    expect(child.stderr()).not.toMatch(/^ +at /m);
  });
});

describe(`a damaged store is found by \`verify\`, with the records concerned (seed ${seed})`, () => {
  it('while nothing is found in one that is sound', async () => {
    expect(await verify()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ records and 9 older versions checked, 0 findings\.$/m),
    });
  });

  it.each([
    ['versions', /\tfile\t.*`ranges_high`.* malformed/],
    ['resources_updated', /\tfile\t.*`ranges_high` has \d+ entries for 0 rows/],
  ])('also of `%s` in an index without entries, which the check of SQLite does not read', async (of, found) => {
    const pages = livePages(file);
    const [empty, other] = ['ranges_high', of].map(name => pages.find(page => page.of === name));
    if (empty === undefined || other === undefined) throw new Error('The store lacks a table or an index');
    const bytes = Buffer.from(original);
    original.copy(bytes, empty.at, other.at, other.at + other.size);
    await writeFile(file, bytes);
    const { code, stdout } = await verify();
    await writeFile(file, original);
    expect([code, stdout]).toEqual([3, expect.stringMatching(found)]);
  });

  it.each(Array.from({ length: rounds }, (_, round) => round))('round %i', async round => {
    const kind = kinds[round % kinds.length] ?? kinds[0];
    const { what, bytes } = damaged(file, original, kind, createRandom(seed, round));
    for (const left of ['-wal', '-shm']) await rm(`${file}${left}`, { force: true });
    await writeFile(file, bytes);
    const concerned = lostIn(file);
    // Owners by other definitions are derived anew (store/keys/owners.ts).
    const now = rowsIn(file);
    const isUnused = now.underived === rows.underived && now.all !== rows.all;
    const { code, stdout, stderr } = await verify();
    for (const left of ['-wal', '-shm']) await rm(`${file}${left}`, { force: true });
    await writeFile(file, original);
    if (isUnused) return;
    expect([code, stderr], `${what}\n${stdout}`).toEqual([3, expect.not.stringMatching(/^ +at /m)]);
    // Of what cannot be opened no record can be named.
    if (stdout.includes('The store cannot be opened')) return;
    const named = new Set(
      stdout
        .split('\n')
        .map(line => line.split('\t'))
        .map(([partition, , name]) => `${partition}\t${name}`),
    );
    expect(
      concerned.filter(name => !named.has(name)),
      `${what}\n${stdout}`,
    ).toEqual([]);
  });
});

/** The rows of the current records, and the same without the digest of the definitions that derived their owners. */
function rowsIn(path: string): { readonly all: string; readonly underived: string } {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare('SELECT * FROM resources NOT INDEXED').all();
    const underived = rows.map(row => ({ ...row, owners: String(row['owners']).replace(/^[\w-]{8}(?= |$)/, '') }));
    return { all: JSON.stringify(rows), underived: JSON.stringify(underived) };
  } catch (error) {
    return { all: String(error), underived: String(error) };
  } finally {
    database.close();
  }
}

/** The versions that are not read as before. */
function lostIn(path: string): readonly string[] {
  const now = versionsIn(path);
  return [...names.keys()].filter(name => now.get(name) !== before.get(name));
}
