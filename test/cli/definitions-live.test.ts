// The commands that change the definitions of a running server (src/definitions/README.md), its signal, and its files.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import { launch, root } from './process.ts';
import type { Launched } from './process.ts';

const run = inOneProcess();
const ninth = join(root, 'test/fixtures/ninth-type');

let folder: string;
let definitions: string;
let store: string[];
let server: Launched | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'definitions-live-'));
  definitions = join(folder, 'definitions');
  mkdirSync(join(definitions, 'capability'), { recursive: true });
  store = ['--store', `sqlite:${join(folder, 'records.sqlite')}`];
});
afterEach(async () => {
  server?.process.kill('SIGTERM');
  await server?.ended;
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

interface Statement {
  readonly version: string;
  readonly date: string;
  readonly rest: readonly { readonly resource: readonly { readonly type: string; readonly interaction: object[] }[] }[];
}

let url: string;
async function start(...flags: readonly string[]): Promise<void> {
  const args = ['serve', '--port', '0', '--access', 'open', ...store, '--definitions', definitions, ...flags];
  server = launch(args);
  [, url = ''] = await server.until(/Serves (http:\S+)\/r4/);
}
async function stop(): Promise<void> {
  server?.process.kill('SIGTERM');
  await server?.ended;
}
async function metadata(): Promise<Statement> {
  return (await (await fetch(`${url}/r4/clinic/metadata`)).json()) as Statement;
}
/** Whether practitioners can be searched, as the ninth type declares. */
const hasNinth = async (): Promise<boolean> => (await fetch(`${url}/r4/clinic/Practitioner?name=a`)).status === 200;
const addNinth = (): void => cpSync(ninth, definitions, { recursive: true });

it('reload, history and rollback print what is in use, and a restart keeps it', async () => {
  await run(['partition', 'add', 'clinic', ...store]);
  await start();
  const first = await metadata();
  expect((await run(['definitions', 'reload', ...store])).stdout).toBe(
    `The definitions are unchanged: version ${first.version}.\n`,
  );
  addNinth();
  const reloaded = await run(['definitions', 'reload', ...store]);
  expect(await hasNinth()).toBe(true);
  const second = await metadata();
  expect(reloaded).toMatchObject({ code: 0, stderr: '' });
  expect(reloaded.stdout).toContain(`The definitions were reloaded: version ${second.version}, `);
  await server?.until(new RegExp(`The definitions were reloaded: version ${second.version}`), 'stderr');

  const history = (await run(['definitions', 'history', ...store])).stdout.trim().split('\n').slice(1);
  expect(history.map(line => line.split(/ {2,}/).map(cell => cell.trim()))).toEqual([
    [second.version, second.date, 'reload', '9', expect.any(String), 'current'],
    [first.version, first.date, 'start', '9', expect.any(String), '-'],
  ]);

  const restored = await run(['definitions', 'rollback', ...store]);
  expect(restored.stdout).toContain(`Former definitions were restored: version ${first.version}, `);
  expect((await metadata()).version).toBe(first.version);
  expect(await hasNinth()).toBe(false);
  await stop();

  // The files have the second set still.
  await start();
  expect((await metadata()).version).toBe(first.version);
  await server?.until(/a rollback has restored; the files still have version/, 'stderr');
  expect((await run(['partition', 'add', 'other', ...store, '--definitions', definitions])).code).toBe(0);
  expect((await run(['definitions', 'reload', ...store])).code).toBe(0);
  expect((await metadata()).version).toBe(second.version);
  await stop();
  await start();
  const again = await metadata();
  expect(again.version).toBe(second.version);
  await run(['definitions', 'rollback', first.version.slice(0, 6), ...store]);
  expect((await metadata()).version).toBe(first.version);
}, 60_000);

it('a faulty file is reported to the user and in the log, with exit code 3', async () => {
  await run(['partition', 'add', 'clinic', ...store]);
  await start();
  const before = await metadata();
  writeFileSync(join(definitions, 'capability/broken.json'), '{');
  const { code, stdout, stderr } = await run(['definitions', 'reload', ...store]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(/capability\/broken\.json: .*Line 1/);
  expect(stderr).toContain('The definitions were not changed; the former ones stay in use.');
  await server?.until(/broken\.json: .*Line 1/, 'stderr');
  expect(await metadata()).toEqual(before);
});

it('without a server the commands say so', async () => {
  await run(['partition', 'add', 'clinic', ...store]);
  for (const action of ['reload', 'rollback']) {
    const { code, stderr } = await run(['definitions', action, ...store]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^No server runs on this store\. /)]);
  }
  expect((await run(['definitions', 'history', ...store])).stdout).toContain('no server has used it yet');
});

it.skipIf(process.platform === 'win32')('SIGHUP reloads them', async () => {
  await run(['partition', 'add', 'clinic', ...store]);
  await start();
  addNinth();
  server?.process.kill('SIGHUP');
  await server?.until(/The definitions were reloaded/, 'stderr');
  expect(await hasNinth()).toBe(true);
});

it('--watch reloads them when the files have changed', async () => {
  await run(['partition', 'add', 'clinic', ...store]);
  await start('--watch');
  addNinth();
  await expect.poll(hasNinth, { timeout: 20_000 }).toBe(true);
  writeFileSync(join(definitions, 'capability/practitioner.json'), '{');
  await server?.until(/practitioner\.json: .*Line 1/, 'stderr');
  expect(await hasNinth()).toBe(true);
  expect(server?.stderr().match(/practitioner\.json: /g)).toHaveLength(1);
}, 40_000);
