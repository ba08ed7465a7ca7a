// Rate limits of several servers of one database: src/http/README.md#limits.
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMongo } from '../support/mongodb/engine.ts';
import type { MongoEngine } from '../support/mongodb/engine.ts';
import { fill, startServer } from './support/server.ts';
import type { Server } from './support/server.ts';

// 80 requests at once, of which each server answers five before it asks the database; then one each 0.75 s.
const limits = ['--trusted-proxies', '127.0.0.1', '--rate-limit-address', '160'];
const perSecond = 160 / 60;

let engine: MongoEngine;
let store: string;
let first: Server;
let second: Server;
beforeAll(async () => {
  engine = await startMongo();
  store = `mongodb://127.0.0.1:${engine.port}/records?directConnection=true`;
  await fill(store);
  const flags = [...limits, '--search-deadline', '1', '--store-timeout', '2', '--log', 'info'];
  [first, second] = await Promise.all([
    startServer(store, ...flags),
    startServer(store, ...flags, '--processes', '2'), // its parent asks the database for them
  ]);
});
afterAll(async () => {
  await Promise.all([first.end(), second.end()]);
  await engine.remove();
});

const read = ({ base }: Server, address: string): Promise<Response> =>
  fetch(`${base}/Patient/p1`, { headers: { 'X-Forwarded-For': address } });

/**
 * How many of so many reads the servers do not refuse, in turn, so many at the same time; and the tokens that were
 * filled up meanwhile.
 */
async function passed(
  servers: readonly Server[],
  count: number,
  address: string,
  atOnce = 1,
): Promise<[count: number, more: number]> {
  const began = performance.now();
  const statuses: number[] = [];
  for (let n = 0; n < count; n += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, async (_, at) => {
        const response = await read(servers[(n + at) % servers.length] ?? first, address);
        await response.arrayBuffer();
        statuses.push(response.status);
      }),
    );
  const more = Math.ceil(((performance.now() - began) / 1_000) * perSecond);
  return [statuses.filter(status => status !== 429).length, more];
}

const notices = (): readonly string[] =>
  [first, second].flatMap(server =>
    server
      .stderr()
      .split('\n')
      .filter(line => line.includes('rate limits hold')),
  );

describe('the rate limit of an address', () => {
  it.each([
    ['the first server', '203.0.113.1', () => [first]],
    ['the second server', '203.0.113.2', () => [second]],
  ])('gives its whole burst to one that meets %s only', async (_, address, servers) => {
    const [count, more] = await passed(servers(), 120, address);
    expect(count).toBeGreaterThanOrEqual(80);
    expect(count).toBeLessThanOrEqual(80 + more);
  });

  it('is that of all servers together, with what one of them answers without asking', async () => {
    const [count, more] = await passed([first, second], 240, '203.0.113.3');
    expect(count).toBeGreaterThanOrEqual(70); // a process may hold a sixteenth that the other does not get
    expect(count).toBeLessThanOrEqual(80 + 5 + more);
  });

  it('is said with the headers of one server', async () => {
    for (const server of [first, second]) {
      await passed([server], 100, '203.0.113.4');
      const answers = await Promise.all(Array.from({ length: 10 }, () => read(server, '203.0.113.4')));
      const { headers } = answers.find(({ status }) => status === 429)!; // more than were filled up meanwhile
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(4); // five that are owed, and one
      expect(headers.get('ratelimit-policy')).toBe('"address";q=80;w=30');
      expect(headers.get('ratelimit')).toBe(`"address";r=0;t=${headers.get('retry-after')}`);
    }
  });

  it('gets back what a server has borrowed when it ends, also from its processes', async () => {
    const client = await new MongoClient(store).connect();
    try {
      const bucket = async () => {
        const [newest] = await client.db().collection('limits').find().sort({ at: -1 }).limit(1).toArray();
        return newest as { readonly tokens: number; readonly at: Date } | undefined;
      };
      for (const [at, flags] of [[], ['--processes', '2']].entries()) {
        const third = await startServer(store, ...limits, ...flags);
        await passed([third], 61, `203.0.113.${100 + at}`); // it has four more then
        const before = await bucket();
        await third.end();
        const after = await bucket();
        if (before === undefined || after === undefined) throw new Error('no bucket');
        const filled = ((after.at.getTime() - before.at.getTime()) / 1_000) * perSecond;
        expect(after.tokens - before.tokens - filled).toBeCloseTo(4, 1);
      }
    } finally {
      await client.close();
    }
  });

  it('is counted by each server alone while the database is away, with one line in the log', async () => {
    await engine.kill();
    for (const server of [first, second]) {
      const [count, more] = await passed([server], 120, '203.0.113.5', 40);
      expect(count).toBeGreaterThanOrEqual(70);
      expect(count).toBeLessThanOrEqual(85 + more);
    }
    expect(notices()).toHaveLength(2);
    await engine.start();
    await expect.poll(async () => (await read(first, '203.0.113.6')).status).toBe(200);
    await expect.poll(async () => (await read(second, '203.0.113.6')).status).toBe(200);
    await new Promise(resolve => setTimeout(resolve, 5_000)); // until they ask again
    const [count, more] = await passed([first, second], 240, '203.0.113.7');
    expect(count).toBeLessThanOrEqual(80 + 5 + more);
    expect(notices()).toHaveLength(4);
  });
});
