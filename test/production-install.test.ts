// `npm ci --omit=dev` into an empty folder brings all that the service needs, and not much more.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment, root } from './cli/process.ts';
import { freePort } from './support/free-port.ts';

/** Bytes of node_modules, the shipped Node among them. */
const limit = 300e6;
/** What the service is made of; everything else is for development. */
const shipped = ['package.json', 'package-lock.json', 'src', 'capability', 'profiles', 'searchparameters'];

const isCI = process.env['CI'] !== undefined;
const unless = isCI ? '' : ' (left out: it installs packages, which is for .ci/run; CI=true runs it)';

describe.skipIf(!isCI)(`a production install${unless}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'crs-install-'));
  const env = ofInstall();

  beforeAll(() => {
    for (const name of shipped) cpSync(join(root, name), join(folder, name), { recursive: true });
    const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'];
    const { status, stderr, error } = spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${stderr}`, { cause: error });
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('weighs less than 300 MB, as much as the README says, and has nothing of development', () => {
    const modules = join(folder, 'node_modules');
    const size = bytesOn(modules);
    expect(size).toBeLessThan(limit);
    const [, stated] =
      /`npm ci --omit=dev`[^.]*?(\d+) MB/.exec(readFileSync(join(root, 'src/http/README.md'), 'utf8')) ?? [];
    const isMeasured = process.platform === 'linux' && process.arch === 'x64';
    const expected = isMeasured ? Number(stated) * 1e6 : size;
    expect(Math.abs(size / expected - 1), `${size} bytes`).toBeLessThan(0.1);
    const { devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const installed = new Set(readdirSync(modules));
    expect(['typescript', 'vitest', 'oxlint'].filter(name => name in devDependencies)).toHaveLength(3);
    expect(['typescript', 'vitest', 'oxlint'].filter(name => installed.has(name))).toEqual([]);
  });

  it.each([
    ['npm start', ['npm', 'start', '--']],
    ['node src/start.js serve', ['node', 'src/start.js', 'serve', '--key-file', 'data/records.sqlite.demo-key']],
  ])(
    'answers /metadata and a record: %s',
    async (_, [command = '', ...args]) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/r4/demo`;
      const server = start(command, [...args, '--port', String(port), '--log', 'error']);
      await server.serves;
      const statement = (await (await fetch(`${url}/metadata`)).json()) as { resourceType: string };
      expect(statement.resourceType).toBe('CapabilityStatement');
      const { stdout, stderr } = spawnSync(
        'npm',
        ['run', '-s', 'cli', '--', 'token', '--client', 'demo-backend', '--partition', 'demo'],
        { cwd: folder, env, encoding: 'utf8' },
      );
      const headers = { authorization: `Bearer ${stdout.trim()}` };
      const found = (await (await fetch(`${url}/Patient?_count=1`, { headers })).json()) as {
        entry?: [{ resource: { id: string } }];
      };
      const id = found.entry?.[0].resource.id;
      expect([typeof id, stderr]).toEqual(['string', '']);
      const read = await fetch(`${url}/Patient/${id}`, { headers });
      expect(await read.json()).toMatchObject({ resourceType: 'Patient', id });
      await server.stop();
    },
    60_000,
  );

  /** Starts a command in the folder, as the leader of a group of processes. */
  function start(command: string, args: readonly string[]): { readonly serves: Promise<void>; stop(): Promise<void> } {
    const child = spawn(command, args, { cwd: folder, env, detached: true });
    let output = '';
    const ended = new Promise<void>(resolve => void child.once('close', () => resolve()));
    const serves = new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (output.includes('Ctrl-C stops it.')) resolve();
        });
      }
      void ended.then(() => reject(new Error(`It ended: ${output}`)));
    });
    const stop = async (): Promise<void> => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await ended;
    };
    return { serves, stop };
  }
});

/** An environment with this install only: no program of this checkout is found. */
function ofInstall(): NodeJS.ProcessEnv {
  const inherited = Object.entries(environment()).filter(([name]) => !/^npm_|^NODE_/i.test(name));
  const path = (process.env['PATH'] ?? '').split(delimiter).filter(place => !place.includes('node_modules'));
  return { ...Object.fromEntries(inherited), PATH: path.join(delimiter) };
}

/** Bytes that a folder takes on the disk, in blocks of 512 as POSIX counts them. */
function bytesOn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return entries.reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks * 512, 0);
}
