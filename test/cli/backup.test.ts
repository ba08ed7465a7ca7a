import { existsSync, readdirSync, rmSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attachmentsFolder } from '../../src/store/files/attachments.ts';
import { everything } from '../support/filled-store.ts';
import { mountTmpfs } from '../support/faults/faults.ts';
import { below, filled, template } from '../store/support/backups.ts';
import type { Filled } from '../store/support/backups.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';

const run = inOneProcess();
let folder: string;
let store: Filled;
beforeAll(async () => {
  folder = await template();
  store = await filled(folder);
});
afterAll(async () => {
  await store.remove();
  await rm(folder, { recursive: true });
});

const cli = (...args: readonly string[]): ReturnType<typeof run> => run([...args, '--store', store.url]);
const withoutTime = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, 'TIME');
const twice = ['--definitions', new URL('../fixtures/two-more-types', import.meta.url).pathname];

describe('backup and restore', () => {
  it('end with one line each, leave audit events, and what is restored passes `verify`', async () => {
    const first = await cli('backup', store.at('first'));
    expect([first.code, withoutTime(first.stdout)]).toEqual([
      0,
      `Backup of TIME in ${store.at('first')}: 24 records (0.3 MB), 2 attachments (3.1 MB), audit log (0.1 MB), ` +
        'verified, 0 findings.\n',
    ]);
    const second = await cli('backup', store.at('second'), '--incremental', store.at('first'), '--pace', '0');
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('2 attachments (3.1 MB, 2 linked)')]);

    const url = `sqlite:${store.at('restored/records.sqlite')}`;
    const restored = await run(['restore', store.at('second'), '--store', url]);
    expect([restored.code, withoutTime(restored.stdout)]).toEqual([
      0,
      `${url} is as of TIME: 24 records, 2 attachments; verified, 0 findings.\n`,
    ]);
    expect(await everything(url)).toEqual(await everything(store.url));
    const verified = await run(['verify', '--store', url, ...twice]);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining('2 attachments checked, 0 findings.'),
    ]);
    // The log of the copy has the beginning of its own backup; that of the store has the end too.
    const events = async (of: string): Promise<readonly string[]> => {
      const { stdout } = await run(['audit', 'export', '--store', of, ...twice]);
      return [...stdout.matchAll(/"code":"(?:backup|restore)"/g)].map(([code]) => code.slice(8, -1));
    };
    expect(await events(store.url)).toEqual(['backup', 'backup', 'backup', 'backup']);
    expect(await events(url)).toEqual(['backup', 'backup', 'backup', 'restore', 'restore']);
  });

  it('show how far they are on stderr', async () => {
    const { stderr } = await cli('backup', store.at('shown'));
    for (const part of ['database', 'attachments', 'audit', 'database digest', 'database check', 'attachments check'])
      expect(stderr).toMatch(new RegExp(`^100 % .* MB .* ${part}$`, 'm'));
  });

  it('find damage: exit code 3, with the lines of `verify`', async () => {
    const damaged = await filled(folder);
    const [kept] = below(attachmentsFolder(damaged.file)).filter(({ name, ino }) => ino > 0 && /^\d/.test(name));
    rmSync(join(attachmentsFolder(damaged.file), kept?.name ?? ''));
    const line = new RegExp(`^clinic\\tmissing\\t${kept?.name.split('/').at(-1)}\\tMedia/`, 'm');
    const backup = await run(['backup', damaged.at('b'), '--store', damaged.url]);
    expect([backup.code, backup.stdout]).toEqual([3, expect.stringMatching(line)]);
    expect(backup.stdout).toContain('verified, 1 finding.');
    const restored = await run(['restore', damaged.at('b'), '--store', `sqlite:${damaged.at('r.sqlite')}`]);
    expect([restored.code, restored.stdout]).toEqual([3, expect.stringMatching(line)]);
    await damaged.remove();
  });

  it.each([
    [['backup'], 2, 'DIR is missing.'],
    [['backup', 'a', 'b'], 2, 'One DIR is expected, found a b.'],
    [['backup', 'a', '--pace', 'fast'], 2, '`--pace` is `fast`, but must be a whole number'],
    [['backup', 'a', '--incremental', 'nowhere'], 1, '`nowhere` is not a whole backup: it has no `backup.json`.'],
    [['restore', 'nowhere'], 1, 'nowhere` is not a whole backup: it has no `backup.json`.'],
    [['restore', 'a', '--pace', '1'], 2, '`--pace` is not a flag of this command.'],
  ])('%j: say what is wrong', async (args, code, text) => {
    expect(await cli(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) as string });
  });

  it('do not touch a store that is there', async () => {
    await cli('backup', store.at('again'));
    const { code, stderr } = await cli('restore', store.at('again'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('exists already, and a restore replaces nothing')]);
  });

  it.each(['backup', 'restore'])(
    '%s: name the tools of MongoDB for a store there, without its password',
    async name => {
      const { code, stderr } = await run([name, store.at('m')], {
        env: { CRS_STORE: 'mongodb://u:secret@127.0.0.1:9/x' },
      });
      expect(code).toBe(1);
      for (const text of ['mongodump --oplog', 'mongorestore --oplogReplay', 'sharded cluster', '`verify`'])
        expect(stderr).toContain(text);
      expect(stderr).not.toContain('secret');
      expect(existsSync(store.at('m'))).toBe(false);
    },
  );
});

describe('a backup that cannot be written', () => {
  it('into a folder below a file: says so', async () => {
    await writeFile(store.at('file'), '');
    const { code, stderr } = await cli('backup', store.at('file/b'));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/ENOTDIR|EEXIST/)]);
  });

  const left = tmpfsReason();
  it.skipIf(left !== undefined)(`on a full disk: says so, and leaves nothing${left ?? ''}`, async () => {
    for (const bytes of [100_000, 2_000_000]) {
      const unmount = mount(bytes);
      const { code, stdout, stderr } = await cli('backup', store.at('disk/b'));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`The disk of \`${store.at('disk/b')}\` is full; nothing was left there.`);
      expect(readdirSync(store.at('disk'))).toEqual([]);
      unmount();
    }
  });

  it.skipIf(left !== undefined)(`nor restored, on a full disk: says so${left ?? ''}`, async () => {
    await cli('backup', store.at('whole'));
    const unmount = mount(2_000_000);
    const target = `sqlite:${store.at('disk/records.sqlite')}`;
    const { code, stderr } = await run(['restore', store.at('whole'), '--store', target]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is full; nothing was restored')]);
    expect(readdirSync(store.at('disk'))).toEqual(['records.sqlite.lock']);
    unmount();
  });
});

/** A file system of so many bytes; gives what ends it. */
function mount(bytes: number): () => void {
  const disk = mountTmpfs(store.at('disk'), bytes);
  if ('reason' in disk) throw new Error(disk.reason);
  return () => disk.unmount();
}

/** Why none can be mounted, for a title; undefined where one can. */
function tmpfsReason(): string | undefined {
  const disk = mountTmpfs(join(tmpdir(), `tmpfs-${process.pid}`), 4096);
  if ('reason' in disk) return ` (left out: ${disk.reason})`;
  disk.unmount();
  return undefined;
}

describe('a backup that is killed', () => {
  it('is none, and the next run completes it', async () => {
    const killed = launch(['backup', store.at('killed'), '--pace', '1', '--store', store.url]);
    // The attachments are 3 MB, so that the copy takes seconds: it is killed in the middle.
    const partial = join(store.at('killed.partial'), 'records.sqlite.attachments');
    await expect.poll(() => existsSync(partial), { interval: 5 }).toBe(true);
    killed.process.kill('SIGKILL');
    await killed.ended;
    expect(existsSync(store.at('killed'))).toBe(false);
    const refused = await run(['restore', store.at('killed'), '--store', `sqlite:${store.at('k.sqlite')}`]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('what an interrupted run has left')]);
    expect((await cli('backup', store.at('killed'))).code).toBe(0);
    const restored = await run(['restore', store.at('killed'), '--store', `sqlite:${store.at('k.sqlite')}`]);
    expect(restored.code).toBe(0);
  });
});
