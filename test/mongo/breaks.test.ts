import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startMongo } from '../support/mongodb/engine.ts';
import type { MongoEngine } from '../support/mongodb/engine.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { startLoad } from './support/load.ts';
import type { Load } from './support/load.ts';
import { fill, startServer } from './support/server.ts';
import type { Server } from './support/server.ts';
import { noneLostOrDoubled, readiness, ready, refusals } from './support/sound.ts';

/** How long the store may take, in milliseconds. */
const timeout = 2_000;
/** How much later the answer may be here: a slow machine needs some; the driver's own timeouts are 30 s. */
const margin = 8_000;

// An engine, a proxy before it, and the service behind both, which goes through one break after the other.
let engine: MongoEngine;
let proxy: TcpProxy;
let server: Server;
beforeAll(async () => {
  engine = await startMongo();
  proxy = await startProxy(engine.port);
  const store = `mongodb://127.0.0.1:${proxy.port}/records?directConnection=true`;
  await fill(store);
  server = await startServer(store, '--search-deadline', '1', '--store-timeout', String(timeout / 1_000));
});
afterAll(async () => {
  await server.end();
  await proxy.close();
  await engine.remove();
});

/** New clients of the service, whose creates are acknowledged. */
async function underLoad(): Promise<Load> {
  const load = startLoad([server.base]);
  onTestFinished(() => load.stop());
  await load.created(30);
  return load;
}

/** What the log of the service has that is no failure of the store. */
function faults(): readonly string[] {
  const lines = server.stderr().split('\n').filter(Boolean); // prettier-ignore
  return lines.filter(line => !/"error":"(StoreUnavailable|Error: The audit log cannot be written)/.test(line));
}

const breaks: readonly [string, () => unknown, () => unknown, RegExp][] = [
  ['is stopped and started', () => engine.stop(), () => engine.start(), /cannot be reached|in time/],
  ['is killed and started', () => engine.kill(), () => engine.start(), /cannot be reached|in time/],
  ['is cut off', () => proxy.cut(), () => proxy.heal(), /cannot be reached|in time/],
  ['is silent', () => proxy.swallow(), () => proxy.heal(), /cannot be reached|in time/],
];

/** Longer breaks on demand. */
const longBreaks: typeof breaks =
  process.env['CRS_TEST_FAULTS'] === 'all'
    ? [
        [
          'is away for 30 seconds',
          () => engine.stop(),
          () => sleep(30_000).then(() => engine.start()),
          /cannot be reached|in time/,
        ],
        ...['first', 'second', 'third'].map((time): (typeof breaks)[number] => [
          `is killed for the ${time} time`,
          () => engine.kill(),
          () => engine.start(),
          /cannot be reached|in time/,
        ]),
      ]
    : [];

describe('while the MongoDB server', () => {
  it.each([...breaks, ...longBreaks])(
    '%s, requests are refused in time, nothing is lost, and service resumes',
    async (...row) => {
      const [, breakIt, mendIt, said] = row;
      const load = await underLoad();
      await breakIt();
      await load.refused();
      expect(await readiness(server.url)).toEqual({ status: 503, said: expect.stringMatching(said) });
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await mendIt();
      await ready(server.url);
      await load.created(30);
      await load.stop();
      expect(faults()).toEqual([]);
      const codes = refusals(load.exchanges, timeout + margin);
      expect(codes.size).toBeGreaterThan(0);
      expect(['no-store', 'timeout']).toEqual(expect.arrayContaining([...codes]));
      await noneLostOrDoubled(load.exchanges, server.base);
    },
    180_000,
  );

  it('is slow, requests are served slowly; where they would take too long they are refused in time', async () => {
    const load = await underLoad();
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
