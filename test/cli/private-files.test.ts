import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { environment, launch, start } from './process.ts';

const unlessWindows = process.platform === 'win32' ? ' (left out: Windows has no such modes)' : '';

let folder: string;
let file: string;
let store: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-'));
  file = join(folder, 'data', 'the records.sqlite');
  store = ['--store', `sqlite:${file}`];
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')(`what holds health data${unlessWindows}`, () => {
  it('is for its owner alone, under any umask', async () => {
    const picture = join(folder, 'picture.ndjson');
    const bad = JSON.stringify({ resourceType: 'Patient', id: 'p1', birthDate: 'unknown' });
    writeFileSync(picture, `${JSON.stringify(media({ id: 'm1' }))}\n${bad}\n`);
    await openly('partition', 'add', 'clinic', ...store);
    const rejects = join(folder, 'rejects.ndjson');
    await openly('load', '--partition', 'clinic', '--rejects', rejects, picture, ...store);
    await openly('attachment', 'export', '--type', 'Media', '--out', join(folder, 'out', 'pictures'), ...store);
    await openly('audit', 'export', '--out', join(folder, 'november.ndjson'), ...store);
    const server = launchOpenly('serve', '--access', 'open', '--authorization-server', 'off', '--port', '0', ...store);
    for await (const text of server.stdout) if (String(text).includes('Serves ')) break;
    const modes = found().filter(([path]) => path !== 'picture.ndjson');
    server.kill('SIGTERM');
    await once(server, 'close');

    const paths = modes.map(([path]) => path);
    for (const expected of [
      /^rejects\.ndjson$/,
      /^november\.ndjson$/,
      /^out\/pictures\/Media-m1\.png$/,
      /sqlite$/,
      /sqlite-wal$/,
      /sqlite\.lock$/,
      /\.attachments\/1\/\w\w\/\w{64}$/,
      /\.audit\/.*\.ndjson$/,
    ])
      expect(paths).toContainEqual(expect.stringMatching(expected));
    expect(modes.filter(([, mode]) => mode !== '600' && mode !== '700')).toEqual([]);
    expect(modes.filter(([path, mode]) => mode === '700' && !statSync(join(folder, path)).isDirectory())).toEqual([]);
  });

  it('is named by a start where others can read it, with the command that ends that', async () => {
    chmodSync(file, 0o644);
    chmodSync(`${file}.attachments`, 0o755);
    const said = await startAndStop();
    // SQLite makes two of them like the first.
    const exposed = ['', '-wal', '-shm', '.attachments'].map(ending => `${file}${ending}`);
    const command = `chmod -R go= ${exposed.map(path => `'${path}'`).join(' ')}`;
    expect(said).toContain('Other users of this machine can read files of the store: ');
    expect(said).toContain(`\`${command}\` makes them private.`);
    execFileSync('sh', ['-c', command.replace(/'[^']*-(wal|shm)'/g, '')]); // the server has ended, and these with it
    expect(await startAndStop()).not.toContain('Other users');
  });
});

/** All files and folders, with their modes. */
function found(): readonly (readonly [path: string, mode: string])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [relative(folder, path), (statSync(path).mode & 0o777).toString(8)] as const;
  });
}

/** A command under umask 0, which allows everything to all users. */
function launchOpenly(...args: readonly string[]) {
  return spawn('sh', ['-c', 'umask 0 && exec "$0" "$@"', process.execPath, start, ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

async function openly(...args: readonly string[]): Promise<void> {
  const child = launchOpenly(...args);
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number];
  expect([0, 3]).toContain(code);
}

/** What a start says on stderr. */
async function startAndStop(): Promise<string> {
  const server = launch(['serve', '--access', 'open', '--authorization-server', 'off', '--port', '0', ...store]);
  await server.until(/^Serves /m);
  server.process.kill('SIGTERM');
  await server.ended;
  return server.stderr();
}
