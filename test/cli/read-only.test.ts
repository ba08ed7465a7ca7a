import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Disk, mountTmpfs } from '../support/faults/faults.ts';
import { media } from '../support/media.ts';
import { inOneProcess } from './one-process.ts';

const tried = mountTmpfs(join(tmpdir(), `read-only-${process.pid}`), 4096);
const why = 'reason' in tried ? ` (left out: ${tried.reason})` : '';
if ('unmount' in tried) tried.unmount();

describe.skipIf(why !== '')(`a store on a medium that is mounted read-only${why}`, () => {
  const run = inOneProcess();
  let folder: string;
  let disk: Disk | { readonly reason: string };
  const fileOf = (name: string): string => join(folder, 'disk', `${name}.sqlite`);
  const on = (name: string): readonly string[] => ['--store', `sqlite:${fileOf(name)}`];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'read-only-'));
    disk = mountTmpfs(join(folder, 'disk'), 200_000_000);
    const picture = join(folder, 'picture.ndjson');
    await writeFile(picture, `${JSON.stringify(media({ id: 'm1' }))}\n`);
    await run(['partition', 'add', 'clinic', '--zone', 'Europe/Rome', ...on('closed')]);
    await run(['load', '--partition', 'clinic', picture, ...on('closed')]);
    // As a killed process leaves it: its last commits are in the WAL alone. A copy may lack the index of the WAL.
    const writing = new DatabaseSync(fileOf('closed'));
    const zone = (to: string): void =>
      writing.exec(`UPDATE partitions SET settings = json_set(settings, '$.zone', '${to}')`);
    writing.exec('PRAGMA wal_autocheckpoint = 0');
    zone('Asia/Tokyo');
    for (const ending of ['', '-wal', '-shm'])
      copyFileSync(`${fileOf('closed')}${ending}`, `${fileOf('killed')}${ending}`);
    for (const ending of ['', '-wal']) copyFileSync(`${fileOf('closed')}${ending}`, `${fileOf('copied')}${ending}`);
    zone('Europe/Rome');
    writing.close();
    if ('makeReadOnly' in disk) disk.makeReadOnly();
  });
  afterAll(() => {
    if ('unmount' in disk) disk.unmount();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['closed', 'Europe/Rome'],
    ['killed', 'Asia/Tokyo'],
    ['copied', 'Asia/Tokyo'],
  ])('that was %s is read with its last commit, and nothing is made beside it', async (name, zone) => {
    const before = readdirSync(join(folder, 'disk'));
    expect(await run(['partition', 'list', ...on(name)])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^clinic\t1\t${zone}\t`)) as string,
      stderr: '',
    });
    expect(readdirSync(join(folder, 'disk'))).toEqual(before);
  });

  it.each([
    ['verify', 'verify', /^1 record and 0 older versions checked, 0 findings\.\n1 attachment checked, 0 findings\./m],
    ['index status', 'index status', /^\d+ ready, 0 pending\.$/m],
    ['index verify', 'index verify', /0 findings|0 differ|no differ/],
    ['attachment list', 'attachment list --type Media', /Media\/m1/],
    ['client list', 'client list', /^ID  NAME/],
    ['user list', 'user list', /^ID  NAME/],
  ])('is read by `%s`', async (_, words, expected) => {
    expect(await run([...words.split(' '), ...on('closed')])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(expected) as string,
    });
  });

  it.each([
    ['audit list', /The audit log cannot be written; nothing was done: .*disk .* read-only/],
    ['partition add other', /its disk is mounted read-only/],
    ['serve --access open --authorization-server off --port 0', /its disk is mounted read-only/],
  ])('refuses `%s`, which writes, and says why', async (words, expected) => {
    expect(await run([...words.split(' '), ...on('closed')])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(expected) as string,
    });
  });
});
