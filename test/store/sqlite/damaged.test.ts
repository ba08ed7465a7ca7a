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
let rows: ReturnType<typeof rowsIn>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  file = join(folder, 'records.sqlite');
  await fillStore(`sqlite:${file}`, 200);
  original = await readFile(file);
  rows = rowsIn(file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const verify = () => run(['verify', '--store', `sqlite:${file}`, '--definitions', moreDefinitions]);

describe.skipIf(noFaults !== undefined)(`a disk that fails to read${unlessFaults}`, () => {
  it.each([0, 5, 40])('is found from read %i on', async skip => {
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

describe(`a damaged store is found by \`verify\` (seed ${seed})`, () => {
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
    // Owners by other definitions are derived anew (store/keys/owners.ts).
    const now = rowsIn(file);
    const isUnused = now.underived === rows.underived && now.all !== rows.all;
    const { code, stdout, stderr } = await verify();
    for (const left of ['-wal', '-shm']) await rm(`${file}${left}`, { force: true });
    await writeFile(file, original);
    if (isUnused) return;
    expect([code, stderr], `${what}\n${stdout}`).toEqual([3, expect.not.stringMatching(/^ +at /m)]);
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
