// `serve --demo --interface r4` as a user starts it: with tokens, in a folder of its own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { blocksOf, section } from '../support/readmes.ts';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';
import type { Launched } from './process.ts';

const run = inOneProcess();
let folder: string;
let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'r4-'));
  port = await freePort();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (...flags: string[]): Launched =>
  launch(['serve', '--port', String(port), '--log', 'off', ...flags], { cwd: folder });

async function stop(server: Launched): Promise<number | null> {
  server.process.kill('SIGTERM');
  return server.ended;
}

async function tokenOf(...flags: string[]): Promise<string> {
  const args = ['token', '--client', 'demo-backend', '--partition', 'demo', '--port', String(port), ...flags];
  const { code, stdout, stderr } = await run(args, { cwd: folder });
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}

interface Body {
  readonly total?: number;
  readonly entry?: readonly { readonly resource: { readonly resourceType: string } }[];
}

describe('npm start -- --interface r4', () => {
  it('prints commands that read, write and delete, and has a store of its own', async () => {
    const server = start('--demo', '--interface', 'r4');
    await server.until(/The launcher starts apps[^]*\n\n/);
    expect(existsSync(join(folder, 'data/r4.sqlite'))).toBe(true);
    expect(existsSync(join(folder, 'data/records.sqlite'))).toBe(false);
    const [, tokenFlags = ''] = /TOKEN=\$\(npm run -s cli -- token (.*)\)\n/.exec(server.stdout()) ?? [];
    expect(tokenFlags).toBe('--client demo-backend --partition demo --interface r4');
    const TOKEN = await tokenOf('--interface', 'r4');
    const commands = [...server.stdout().matchAll(/^ {2}(curl .*Bearer .*)$/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(5);
    const answersOf = (of: readonly string[]): readonly string[][] =>
      of.map(command => {
        const curl = command
          .replace('curl ', "curl -sS -w '\n%{http_code}' ")
          .replace('127.0.0.1:8080', `127.0.0.1:${port}`);
        const { stdout, stderr } = spawnSync('sh', ['-c', curl], { encoding: 'utf8', env: { ...process.env, TOKEN } });
        expect(stderr).toBe('');
        return stdout.split('\n');
      });
    const answers = answersOf(commands);
    expect(answers.map(lines => lines.at(-1))).toEqual(['200', '200', '200', '201', '204']);
    for (const [bundle = ''] of answers.slice(0, 3))
      expect((JSON.parse(bundle) as Body).entry?.length).toBeGreaterThan(0);
    const ask = async (path: string): Promise<Body> => {
      const headers = { Authorization: `Bearer ${TOKEN}` };
      return (await fetch(`http://127.0.0.1:${port}/r4/demo/${path}`, { headers })).json() as Promise<Body>;
    };
    // The commands of the page.
    const [startBlock, block] = blocksOf(section('src/definitions/README.md', 'All of R4')).map(({ content }) =>
      content.split('\n'),
    );
    expect(startBlock).toEqual(['npm start -- --interface r4', '']);
    const [tokenLine, ...curls] = block?.filter(line => line !== '') ?? [];
    expect(tokenLine).toBe(`TOKEN=$(npm run -s cli -- token ${tokenFlags})`);
    const written = answersOf(curls);
    expect(written.map(lines => lines.at(-1))).toEqual(['201', '200']);
    expect(written[1]?.[0]).toContain('"id":"my-clinic"');
    // What the records of the patients refer to is there too.
    const { entry = [] } = await ask('Appointment?_count=1&_include=Appointment:actor');
    expect(entry.map(({ resource }) => resource.resourceType).toSorted()).toEqual([
      'Appointment',
      'Location',
      'Patient',
      'Practitioner',
    ]);
    expect(await ask('Practitioner?_summary=count')).toMatchObject({ total: 8 });
    expect(await stop(server)).toBe(0);
  }, 120_000);

  it('leaves records unchanged when the shipped interface serves their store for a while', async () => {
    const store = ['--store', 'sqlite:./both.sqlite'];
    await run(['partition', 'add', 'demo', ...store], { cwd: folder });
    const base = `http://127.0.0.1:${port}/r4/demo`;
    const statuses = async (...paths: readonly string[]): Promise<readonly unknown[]> =>
      Promise.all(
        paths.map(async path => {
          const answer = await fetch(`${base}/${path}`);
          const { total, id } = (await answer.json()) as { total?: number; id?: string };
          return [answer.status, total ?? id];
        }),
      );
    const serveWith = async (flags: readonly string[], work: () => Promise<void>): Promise<void> => {
      const server = start('--access', 'open', ...store, ...flags);
      await server.until(/Serves /);
      await work();
      expect(await stop(server)).toBe(0);
    };
    const r4 = ['--interface', 'r4'];
    const paths = [
      'Organization/o',
      'Patient/p',
      'Patient?organization=o&_summary=count',
      'Patient?name=roy&_summary=count',
    ];
    await serveWith(r4, async () => {
      const patient = {
        resourceType: 'Patient',
        id: 'p',
        name: [{ family: 'Roy' }],
        managingOrganization: { reference: 'Organization/o' },
      };
      for (const resource of [{ resourceType: 'Organization', id: 'o', name: 'Clinic' }, patient]) {
        const init = {
          method: 'PUT',
          headers: { 'Content-Type': 'application/fhir+json' },
          body: JSON.stringify(resource),
        };
        expect((await fetch(`${base}/${resource.resourceType}/${resource.id}`, init)).status).toBe(201);
      }
      expect(await statuses(...paths)).toEqual([
        [200, 'o'],
        [200, 'p'],
        [200, 1],
        [200, 1],
      ]);
    });
    await serveWith([], async () => {
      // The type and the parameter are not declared.
      expect(await statuses(...paths)).toEqual([
        [404, undefined],
        [200, 'p'],
        [400, undefined],
        [200, 1],
      ]);
    });
    await serveWith(r4, async () => {
      const all = [
        [200, 'o'],
        [200, 'p'],
        [200, 1],
        [200, 1],
      ];
      // Searches by an index that is being built again are answered 503.
      await vi.waitFor(async () => expect(await statuses(...paths)).toEqual(all), { timeout: 30_000, interval: 200 });
      const status = () => run(['index', 'status', ...store, ...r4], { cwd: folder });
      await vi.waitUntil(async () => (await status()).code === 0, {
        timeout: 30_000,
        interval: 500,
      });
    });
    expect(await run(['verify', ...store, ...r4], { cwd: folder })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 findings'),
    });
  }, 120_000);
});
