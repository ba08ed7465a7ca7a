import { describe, expect, it, onTestFinished } from 'vitest';
import { startProxy } from '../support/tcp-proxy.ts';
import { startMongo } from '../support/mongodb/engine.ts';
import { startLoad } from './support/load.ts';
import { fill, startServer } from './support/server.ts';
import type { Server } from './support/server.ts';
import { noneLostOrDoubled, readiness, ready, refusals } from './support/sound.ts';

/** How long the store may take, and how much later the answer may be here, in milliseconds. */
const timeout = 2_000;
const margin = 1_500;

/** An engine, a proxy before it, and the service behind both, under load. */
async function underLoad() {
  const engine = await startMongo();
  onTestFinished(() => engine.remove());
  const proxy = await startProxy(engine.port);
  onTestFinished(() => proxy.close());
  const store = `mongodb://127.0.0.1:${proxy.port}/records?directConnection=true`;
  await fill(store);
  const server = await startServer(store, '--search-deadline', '1', '--store-timeout', String(timeout / 1_000));
  onTestFinished(() => server.end());
  const load = startLoad([server.base]);
  onTestFinished(() => load.stop());
  await load.created(30);
  return { engine, proxy, server, load };
}

/** What the log of the service has that is no failure of the store. */
function faultsOf(server: Server): readonly string[] {
  const lines = server.stderr().split('\n').filter(Boolean); // prettier-ignore
  return lines.filter(line => !/"error":"(StoreUnavailable|Error: The audit log cannot be written)/.test(line));
}

type Parts = Awaited<ReturnType<typeof underLoad>>;

const breaks: readonly [string, (parts: Parts) => unknown, (parts: Parts) => unknown, RegExp][] = [
  [
    'is stopped and started',
    ({ engine }) => engine.stop(),
    ({ engine }) => engine.start(),
    /cannot be reached|in time/,
  ],
  ['is killed and started', ({ engine }) => engine.kill(), ({ engine }) => engine.start(), /cannot be reached|in time/],
  ['is cut off', ({ proxy }) => proxy.cut(), ({ proxy }) => proxy.heal(), /cannot be reached|in time/],
  ['is silent', ({ proxy }) => proxy.swallow(), ({ proxy }) => proxy.heal(), /cannot be reached|in time/],
];

describe('while the MongoDB server', () => {
  it.each(breaks)('%s, requests are refused in time, nothing is lost, and service resumes', async (...row) => {
    const [, breakIt, mendIt, said] = row;
    const parts = await underLoad();
    const { server, load } = parts;
    await breakIt(parts);
    await load.refused();
    expect(await readiness(server.url)).toEqual({ status: 503, said: expect.stringMatching(said) });
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await mendIt(parts);
    await ready(server.url);
    await load.created(30);
    await load.stop();
    expect(faultsOf(server)).toEqual([]);
    const codes = refusals(load.exchanges, timeout + margin);
    expect(codes.size).toBeGreaterThan(0);
    expect(['no-store', 'timeout']).toEqual(expect.arrayContaining([...codes]));
    await noneLostOrDoubled(load.exchanges, server.base);
  });

  it('is slow, requests are served slowly; where they would take too long they are refused in time', async () => {
    const { server, load, proxy } = await underLoad();
    proxy.delay(50);
    await load.created(20);
    expect(refusals(load.exchanges, 0).size).toBe(0);
    expect(await readiness(server.url)).toEqual({ status: 200, said: 'ok' });
    proxy.delay(3_000);
    await load.refused();
    expect(await readiness(server.url)).toEqual({
      status: 503,
      said: expect.stringMatching(/cannot be reached|in time/),
    });
    proxy.heal();
    await ready(server.url);
    await load.created(30);
    await load.stop();
    expect([...refusals(load.exchanges, timeout + margin)]).toContain('timeout');
    await noneLostOrDoubled(load.exchanges, server.base);
  });
});
