import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './one-process.ts';
import { launch } from './process.ts';
import type { Launched } from './process.ts';

const run = inOneProcess();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serve-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const storeFlags = (name: string): string[] => ['--store', `sqlite:${join(folder, name)}`];

function serve(name: string, ...flags: string[]): Launched {
  return launch(['serve', '--port', '0', '--log', 'off', '--access', 'open', ...storeFlags(name), ...flags]);
}

async function stop(server: Launched): Promise<number | null> {
  server.process.kill('SIGTERM');
  return server.ended;
}

describe('serve on a store path that does not exist', () => {
  it('says that the store is new and has no partitions, and what to do', async () => {
    const server = serve('mistyped.sqlite');
    await server.until(/see `--store`, and `--require-store`\.\n/);
    const path = `sqlite:${join(folder, 'mistyped.sqlite')}`;
    expect(server.stdout()).toContain(
      `${path} is a new store, without partitions: no request for records can be answered yet.\n` +
        `Add a partition: npm run cli -- partition add NAME --zone ZONE --store ${path}\n`,
    );
    expect(await stop(server)).toBe(0);
    const again = serve('mistyped.sqlite');
    await again.until(/mistyped\.sqlite is a store, without partitions: .*\nAdd a partition: /);
    expect(await stop(again)).toBe(0);
    expect((await run(['partition', 'add', 'clinic', ...storeFlags('mistyped.sqlite')])).code).toBe(0);
    const third = serve('mistyped.sqlite');
    await third.until(/Ctrl-C stops it\.\n/);
    expect(await stop(third)).toBe(0);
    expect(third.stdout()).not.toContain('partitions');
  });

  it.each([
    ['the flag', ['--require-store'], {}],
    ['the variable, with several processes', ['--processes', '2'], { CRS_REQUIRE_STORE: 'true' }],
    ['the flag, for a demonstration', ['--require-store', '--demo'], {}],
  ])('refuses to create one with %s', async (_what, flags, env) => {
    const args = ['serve', '--port', '0', '--log', 'off', '--access', 'open', ...storeFlags('absent.sqlite'), ...flags];
    const server = launch(args, { env });
    expect(await server.ended).not.toBe(0);
    expect(server.stderr()).toMatch(
      /^There is no store at `\S+absent\.sqlite`, and `require-store` forbids to create one\. .*partition add NAME/m,
    );
    expect(existsSync(join(folder, 'absent.sqlite'))).toBe(false);
  });
});

describe('serve --demo', () => {
  it('fills a new store, and prints queries that work, in one piece; the next start adds nothing', async () => {
    const first = serve('demo.sqlite', '--demo');
    const pieces: string[] = [];
    first.process.stdout?.on('data', (piece: Buffer) => void pieces.push(String(piece)));
    const [, base = ''] = await first.until(/Serves (http:\S+\/r4\/demo) [^]*curl[^]*\n\n/);
    const greeting = pieces.filter(piece => /Serves|curl|Open the explorer/.test(piece));
    expect(greeting).toEqual([expect.stringMatching(/Open the explorer [^]*Serves [^]*curl[^]*curl[^]*\n$/)]);
    expect(first.stdout()).toContain(`Runs on Node ${process.version}`);
    expect(existsSync(join(folder, 'demo.sqlite.demo'))).toBe(false);

    const urls = [...first.stdout().matchAll(/curl '([^']+)'/g)].map(([, url]) => url ?? '');
    expect(urls).toHaveLength(3);
    for (const url of urls) {
      const bundle = (await (await fetch(url)).json()) as { resourceType: string; entry: unknown[] };
      expect(bundle.resourceType).toBe('Bundle');
      expect(bundle.entry.length).toBeGreaterThan(0);
    }
    const total = async (url: string): Promise<number> =>
      ((await (await fetch(`${url}/Observation?_summary=count`)).json()) as { total: number }).total;
    const observations = await total(base);
    expect(observations).toBeGreaterThan(3000);
    expect(await stop(first)).toBe(0);
    expect(first.stderr()).not.toMatch(/^\s+at /m);

    const second = serve('demo.sqlite', '--demo');
    const [, again = ''] = await second.until(/Serves (http:\S+\/r4\/demo) /);
    expect((await fetch(`${again}/metadata`)).status).toBe(200);
    expect(await total(again)).toBe(observations);
    expect(await stop(second)).toBe(0);
  });

  it('continues where a filling was killed, and ends with the same records', async () => {
    const killed = serve('killed.sqlite', '--demo');
    await new Promise(resolve => {
      const look = setInterval(() => {
        if (!existsSync(join(folder, 'killed.sqlite-wal'))) return;
        clearInterval(look);
        resolve(undefined);
      }, 5);
    });
    await new Promise(resolve => setTimeout(resolve, 150));
    killed.process.kill('SIGKILL');
    await killed.ended;
    const next = serve('killed.sqlite', '--demo');
    const [, base = ''] = await next.until(/Serves (http:\S+\/r4\/demo) /);
    const bundle = await (await fetch(`${base}/Patient?_summary=count`)).json();
    expect(bundle).toMatchObject({ total: 120 });
    expect(await stop(next)).toBe(0);
  });

  it('adds no records to a store that it did not make', async () => {
    await run(['partition', 'add', 'clinic', ...storeFlags('own.sqlite')]);
    const server = serve('own.sqlite', '--demo');
    const [, url = ''] = await server.until(/Serves (http:\S+)\/r4\/\{partition\}[^]*was not made by --demo/);
    expect((await fetch(`${url}/r4/demo/metadata`)).status).toBe(404);
    const bundle = await (await fetch(`${url}/r4/clinic/Patient?_summary=count`)).json();
    expect(bundle).toMatchObject({ total: 0 });
    expect(await stop(server)).toBe(0);
  });
});

describe('serve', () => {
  it('makes no records without --demo, and ends at Ctrl-C', async () => {
    const server = serve('plain.sqlite');
    const [, url = ''] = await server.until(/Serves (http:\S+)\/r4/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.process.kill('SIGINT');
    expect(await server.ended).toBe(0);
    expect((await run(['partition', 'list', ...storeFlags('plain.sqlite')])).stdout).toBe('');
  });

  it('says which port is in use, and leaves no store behind', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await run([
      'serve',
      '--log',
      'off',
      '--access',
      'open',
      '--port',
      String(port),
      ...storeFlags('port.sqlite'),
    ]);
    expect([code, stderr]).toEqual([
      1,
      `Port ${port} is in use by another program; choose one with \`--port\`, or 0 for any free one.\n`,
    ]);
    expect(existsSync(join(folder, 'port.sqlite'))).toBe(false);
    await new Promise(resolve => other.close(resolve));
  });

  it('refuses a second server on one store before it does anything else', async () => {
    const server = serve('locked.sqlite');
    await server.until(/Serves/);
    await mkdir(join(folder, 'declares-nothing'));
    const second = serve('locked.sqlite', '--capability', join(folder, 'declares-nothing')); // would stop a start too
    expect(await second.ended).toBe(1);
    const file = join(folder, 'locked.sqlite');
    expect(second.stderr()).toBe(`Another server runs on \`${file}\`; stop it first, or name another file.\n`);
    expect(await stop(server)).toBe(0);
  });

  it('prints all problems of invalid definitions and does not start', async () => {
    const capability = join(folder, 'capability');
    const { mkdir } = await import('node:fs/promises');
    await mkdir(capability);
    await writeFile(join(capability, 'bad.json'), '{"resourceType":"CapabilityStatement","rest":[{"mode":"server",');
    const { code, stderr } = await run([
      'serve',
      '--access',
      'open',
      '--port',
      '0',
      '--capability',
      capability,
      ...storeFlags('bad.sqlite'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('bad.json');
    expect(stderr).toContain('The definitions do not load.');
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('serve --log-format json', () => {
  const parsed = (text: string): unknown[] =>
    text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line));

  it('prints nothing but lines of JSON, at a start too', async () => {
    const flags = ['--port', '0', '--access', 'open', '--log-format', 'json', ...storeFlags('json.sqlite')];
    const server = launch(['serve', ...flags]);
    const [, url = ''] = await server.until(/Serves (http:[^"]+)\/r4/);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(await stop(server)).toBe(0);
    const lines = parsed(server.stdout()); // with what to do about a store without partitions
    expect(lines).toMatchObject(Array.from({ length: 5 }, () => ({ level: 'notice' })));
    expect(parsed(server.stderr())).toContainEqual(expect.objectContaining({ level: 'info', route: '/healthz' }));
  });

  it('does so with the demonstration too', async () => {
    const flags = ['--demo', '--port', '0', '--log-format', 'json', ...storeFlags('demo.sqlite')]; // filled before
    const server = launch(['serve', ...flags]);
    await server.until(/with the password/);
    expect(await stop(server)).toBe(0);
    for (const line of [...parsed(server.stdout()), ...parsed(server.stderr())])
      expect(line).toMatchObject({ level: expect.stringMatching(/^(?:notice|info)$/) });
  });

  it.each([
    ['a wrong setting', ['--log-format', 'json', '--max-body', 'many'], {}],
    ['an unknown flag', ['--unknown'], { CRS_LOG_FORMAT: 'json' }],
    ['definitions that do not exist', ['--log-format=json', '--definitions', 'none'], {}],
  ])('prints why it does not start as JSON: %s', async (_, flags, env) => {
    const server = launch(['serve', '--port', '0', ...storeFlags('none.sqlite'), ...flags], { env });
    expect(await server.ended).not.toBe(0);
    const lines = parsed(server.stderr());
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatchObject({ level: 'fatal', text: expect.any(String) });
  });
});
