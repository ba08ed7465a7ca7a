import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'left-behind-'));
  file = join(folder, 'records.sqlite');
  await mkdir(`${file}.audit`);
  await writeFile(join(`${file}.audit`, '2026-01-01T000000.000Z-01234567.ndjson'), '{}\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('where a store has left its audit log, but not its file', () => {
  it.each([
    ['serve', ['serve', '--access', 'open', '--port', '0', '--authorization-server', 'off', '--store']],
    ['serve --demo', ['serve', '--demo', '--port', '0', '--store']],
    ['partition add', ['partition', 'add', 'clinic', '--store']],
    ['migrate', ['migrate', '--from', 'SOURCE', '--to']],
  ])('%s makes nothing, and says what to do', async (_, args) => {
    const source = `sqlite:${join(folder, 'source.sqlite')}`;
    if (args.includes('SOURCE')) await run(['partition', 'add', 'clinic', '--store', source]);
    const names = () => readdirSync(folder).filter(name => !name.startsWith('source.'));
    const before = names();
    const said = await run([...args.map(arg => (arg === 'SOURCE' ? source : arg)), `sqlite:${file}`]);
    expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('restore its file') as string });
    expect(said.stderr).toContain(`\`${file}.audit\``);
    expect(names()).toEqual(before);
  });

  it('a new store is made when it has been moved away', async () => {
    await rename(`${file}.audit`, join(folder, 'elsewhere'));
    expect((await run(['partition', 'add', 'clinic', '--store', `sqlite:${file}`])).code).toBe(0);
  });
});
