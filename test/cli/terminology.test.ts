// The commands for code systems with many concepts, in the order of their use.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';

const run = inOneProcess();
const url = 'http://example.org/CodeSystem/birds';
let folder: string;
let store: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminology-'));
  store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
  await cli('partition', 'add', 'clinic');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const cli = (...args: string[]): Promise<Ended> => run([...args, ...store]);
const load = async (name: string, content: string | Buffer, ...more: string[]): Promise<Ended> => {
  await writeFile(join(folder, name), content);
  return cli('terminology', 'load', '--partition', 'clinic', '--url', url, ...more, join(folder, name));
};

describe('terminology', () => {
  it('load: a file, again, and compressed', async () => {
    const csv = 'code,display,parent\nbird,Bird,\nowl,Owl,bird\n';
    for (const [name, content] of [
      ['a.csv', csv],
      ['a.csv', csv],
      ['a.csv.gz', gzipSync(csv)],
    ] as const)
      expect(await load(name, content, '--version', '1')).toMatchObject({
        code: 0,
        stdout: `2 concepts of ${url}|1 loaded.\n`,
      });
  });

  it.each([
    ['a wrong file', 'code\na\na\n', 'The code `a` of line 3 is that of line 2 too. Nothing was changed.'],
    ['an empty file', '', 'The file is empty'],
  ])('load: %s changes nothing', async (_what, content, problem) => {
    expect(await load('wrong.csv', content, '--version', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    });
  });

  it('load: needs a url and a file that exists', async () => {
    expect(await cli('terminology', 'load', '--partition', 'clinic', 'x.csv')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--url is missing'),
    });
    const missing = await cli('terminology', 'load', '--partition', 'clinic', '--url', url, join(folder, 'none.csv'));
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('none.csv') });
  });

  it('list, remove', async () => {
    await load('b.csv', 'code\nwren\n');
    expect((await cli('terminology', 'list', '--partition', 'clinic')).stdout).toBe(`${url} 1\n${url}|1 2\n`);
    const remove = ['terminology', 'remove', '--partition', 'clinic', '--url', url];
    expect(await cli(...remove, '--version', '1')).toMatchObject({ code: 0, stdout: `${url}|1 is removed.\n` });
    expect((await cli(...remove, '--version', '1')).code).toBe(1);
    expect((await cli('terminology', 'list', '--partition', 'clinic')).stdout).toBe(`${url} 1\n`);
    await cli('partition', 'remove', 'clinic', '--yes');
    await cli('partition', 'add', 'clinic');
    expect((await cli('terminology', 'list', '--partition', 'clinic')).stdout).toBe('');
  });
});
