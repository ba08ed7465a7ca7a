// The signals of a server of several processes, and its end: src/processes/README.md.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { launch } from '../cli/process.ts';
import type { Launched } from '../cli/process.ts';
import { childrenOf, runs } from './support/server.ts';

let folder: string;
let server: Launched;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'processes-'));
  const store = `sqlite:${join(folder, 'records.sqlite')}`;
  const short = ['--keep-alive', '0.5', '--shutdown-timeout', '5']; // a restart waits for idle connections
  server = launch(['serve', '--port', '0', '--access', 'open', '--processes', '2', '--store', store, ...short]);
  [, url = ''] = await server.until(/Serves (http:\S+)\/r4/);
});
afterEach(async () => {
  server.process.kill('SIGKILL');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
});

/** The processes that answer; `launch` uses the Node that the program needs, so that the parent is its process. */
const children = (): readonly number[] => childrenOf(server.process.pid ?? 0);

describe.skipIf(process.platform === 'win32')('signals (Windows has none)', () => {
  it('SIGTERM ends all processes, with exit code 0', async () => {
    const all = children();
    expect(all).toHaveLength(2);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(all.some(runs)).toBe(false);
  });

  it('those that answer end when their parent was killed', async () => {
    const all = children();
    server.process.kill('SIGKILL');
    await server.ended;
    await expect.poll(() => all.some(runs)).toBe(false);
  });

  it('those that answer ignore signals, and SIGUSR2 to the parent replaces them', async () => {
    const all = children();
    for (const pid of all) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2']) process.kill(pid, signal);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(children()).toEqual(all);
    server.process.kill('SIGUSR2');
    await server.until(/The processes that answer requests were restarted/, 'stderr');
    await expect.poll(() => children().some(pid => all.includes(pid))).toBe(false);
    expect(children()).toHaveLength(2);
  });

  it('SIGHUP reloads the definitions of all', async () => {
    server.process.kill('SIGHUP');
    await server.until(/The definitions are unchanged/, 'stderr');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});
