// SIGHUP asks a server to read its files again; it never ends it. Windows has none.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { beginSearch, untilClosing } from './begun-request.ts';
import { launch, run } from './process.ts';
import type { Launched } from './process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hangup-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;
const flags = (...more: string[]): string[] => {
  return ['serve', '--port', '0', '--store', `sqlite:${join(folder, `${stores++}.sqlite`)}`, ...more];
};

async function stop(server: Launched): Promise<number | null> {
  server.process.kill('SIGTERM');
  return server.ended;
}

/** As a file that Node loads before the program. */
const preload = (script: string): readonly string[] => [
  '--import',
  `data:text/javascript,${encodeURIComponent(script)}`,
];

const unchanged = /The definitions are unchanged/;

describe.skipIf(process.platform === 'win32')('SIGHUP (there is none on Windows)', () => {
  it('reads the definitions again, and is logged', async () => {
    const server = launch(flags('--access', 'open'));
    const [, url = ''] = await server.until(/Serves (http:\S+)\/r4/);
    server.process.kill('SIGHUP');
    await server.until(unchanged, 'stderr');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await stop(server)).toBe(0);
  });

  it('reads certificate and accounts again, once each', async () => {
    const file = (name: string, content: string, mode?: number): string => {
      writeFileSync(join(folder, name), content, { mode });
      return join(folder, name);
    };
    const { cert, key } = selfSigned('localhost');
    const accounts = file('accounts.json', '{"clients":[],"users":[]}');
    const tls = ['--tls-cert', file('cert.pem', cert), '--tls-key', file('key.pem', key, 0o600)];
    const secret = file('key', 'a secret of more than thirty-two characters', 0o600);
    const server = launch(flags(...tls, '--accounts', accounts, '--key-file', secret));
    await server.until(/Serves https:/);
    server.process.kill('SIGHUP');
    await server.until(/accounts in \S+ were reloaded: 0 clients, 0 users/, 'stderr');
    expect(server.stderr().match(/reloaded/g)).toHaveLength(2);
    expect(server.stderr()).toMatch(unchanged);
    expect(server.stderr()).toContain('The certificate was reloaded.');
    expect(await stop(server)).toBe(0);
  });

  it('during the start waits for its end', async () => {
    const server = launch(flags('--access', 'open'));
    await server.until(/Runs on/);
    server.process.kill('SIGHUP');
    await server.until(/Serves http:/);
    await server.until(unchanged, 'stderr');
    expect(await stop(server)).toBe(0);
  });

  it('during the shutdown does nothing: what runs finishes', async () => {
    const store = ['--store', `sqlite:${join(folder, 'shutdown.sqlite')}`];
    await run(['partition', 'add', 'clinic', ...store]);
    const server = launch(['serve', '--port', '0', '--access', 'open', ...store]);
    const [, port = ''] = await server.until(/Serves http:\/\/127\.0\.0\.1:(\d+)/);
    const running = await beginSearch(Number(port));
    server.process.kill('SIGTERM');
    await untilClosing(Number(port));
    server.process.kill('SIGHUP');
    running.finish();
    await running.closed;
    expect(running.received()).toMatch(/HTTP\/1\.1 200 OK/);
    expect(await server.ended).toBe(0);
    expect(server.stderr()).not.toMatch(unchanged);
  });

  describe('where an older Node starts the pinned one', () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`;

    it('is passed to the server', async () => {
      const script = `if (process.env.STARTED_WITH_PINNED_NODE === undefined) ${older}`;
      const server = launch(flags('--access', 'open'), { execArgv: preload(script) });
      await server.until(/Serves http:/);
      server.process.kill('SIGHUP');
      await server.until(unchanged, 'stderr');
      expect(await stop(server)).toBe(0);
    });

    it('ends neither of them while the second one is not up yet', async () => {
      const wait = `await import('node:fs').then(({ writeSync }) => writeSync(1, 'comes up\\n'));
        await new Promise(resolve => setTimeout(resolve, 500));`;
      const script = `if (process.env.STARTED_WITH_PINNED_NODE === undefined) ${older} else { ${wait} }`;
      const server = launch(flags('--access', 'open'), { execArgv: preload(script) });
      await server.until(/comes up/);
      server.process.kill('SIGHUP');
      await server.until(/Serves http:/);
      server.process.kill('SIGHUP');
      await server.until(unchanged, 'stderr');
      expect(await stop(server)).toBe(0);
    });
  });
});

it.skipIf(process.platform === 'win32')(
  'SIGUSR2 ends no server of one process (there is none on Windows)',
  async () => {
    const server = launch(flags('--access', 'open', '--processes', '1'));
    const [, url = ''] = await server.until(/Serves (http:\S+)\/r4/);
    server.process.kill('SIGUSR2');
    await server.until(/SIGUSR2 restarts nothing/, 'stderr');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await stop(server)).toBe(0);
  },
);
