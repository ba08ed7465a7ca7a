import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../cli/process.ts';
import { selfSigned } from '../support/certificate.ts';
import { startMongo } from '../support/mongodb/engine.ts';
import type { MongoEngine } from '../support/mongodb/engine.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import { startLoad } from './support/load.ts';
import { fill, startServer } from './support/server.ts';
import { noneLostOrDoubled, readiness, ready, refusals } from './support/sound.ts';

let engine: MongoEngine;
beforeAll(async () => {
  engine = await startMongo();
});
afterAll(() => engine.remove());

const storeOf = (name: string): string => `mongodb://127.0.0.1:${engine.port}/${name}?directConnection=true`;

describe('serve on MongoDB', () => {
  it('reports that credentials are refused, without printing them', async () => {
    const store = `mongodb://somebody:hush%21@127.0.0.1:${engine.port}/records?directConnection=true`;
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--debug', '--access', 'open'], {
      env: { CRS_STORE: store },
    });
    expect([code, stderr.split('\n')[0]]).toEqual([1, expect.stringMatching(/rejected the user or the password/)]);
    expect(stdout + stderr).not.toMatch(/hush|somebody/);
  });

  it('says where no server answers, within the time', async () => {
    const store = 'mongodb://somebody:hush@127.0.0.1:1/records?directConnection=true&serverSelectionTimeoutMS=500';
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--access', 'open'], {
      env: { CRS_STORE: store },
    });
    expect([code, stderr.split('\n')[0]]).toEqual([1, expect.stringContaining('is not available')]);
    expect(stdout + stderr).not.toMatch(/hush|somebody/);
  });

  it('refuses an option that the driver does not know, and says neither it nor the rest', async () => {
    const store = `mongodb://somebody:hush@127.0.0.1:${engine.port}/records?retryWriets=hush`;
    const { code, stdout, stderr } = await run(['serve', '--port', '0', '--access', 'open'], {
      env: { CRS_STORE: store },
    });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toMatch(/hush|somebody/);
  });

  it('refuses a single server, and names the two commands that make it a replica set', async () => {
    const client = new MongoClient(storeOf('admin'));
    onTestFinished(() => client.close());
    await client.db().command({ bridgeSingle: true });
    onTestFinished(async () => void (await client.db().command({ bridgeSingle: false })));
    const { code, stderr } = await run(['serve', '--port', '0', '--access', 'open'], {
      env: { CRS_STORE: storeOf('records') },
    });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/`mongod --replSet rs0`.*`mongosh --eval 'rs\.initiate\(\)'`/),
    ]);
  });

  it('leaves a database of something else alone', async () => {
    const client = new MongoClient(storeOf('other'));
    onTestFinished(() => client.close());
    await client.db().collection('orders').insertOne({ of: 'a shop' });
    for (const demo of [[], ['--demo']]) {
      const { code, stderr } = await run(['serve', '--port', '0', '--access', 'open', ...demo], {
        env: { CRS_STORE: storeOf('other') },
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining('has other content')]);
    }
    expect(await client.db().listCollections().toArray()).toHaveLength(1);
  });

  it('fills an empty database with the demonstration, once, and no other', async () => {
    const first = await startServer(storeOf('demo'), '--demo');
    const count = async (base: string): Promise<unknown> =>
      (await fetch(`${base}/Patient?_summary=count`)).json().then(bundle => (bundle as { total: number }).total);
    expect(await count(first.base)).toBe(120);
    await first.end();
    const again = await startServer(storeOf('demo'), '--demo');
    expect(await count(again.base)).toBe(120);
    await again.end();
    await fill(storeOf('own'));
    const own = await startServer(storeOf('own'), '--demo');
    expect([await count(own.base), own.stdout()]).toEqual([1, expect.stringContaining('was not made by --demo')]);
    await own.end();
  });

  it('uses TLS, and refuses a server whose certificate it cannot check', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crs-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { cert, key } = selfSigned('mongodb');
    writeFileSync(join(folder, 'ca.pem'), cert);
    const secure = await startMongo({ tls: { cert, key } });
    onTestFinished(() => secure.remove());
    const store = `mongodb://127.0.0.1:${secure.port}/records?directConnection=true&tls=true`;
    const refused = await run(['serve', '--port', '0', '--access', 'open'], {
      env: { CRS_STORE: `${store}&serverSelectionTimeoutMS=500` },
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not available')]);
    const trusting = `${store}&tlsCAFile=${encodeURIComponent(join(folder, 'ca.pem'))}`;
    await fill(trusting);
    const server = await startServer(trusting);
    expect((await fetch(`${server.base}/Patient/p1`)).status).toBe(200);
    await server.end();
  });
});

describe('while', () => {
  it('all connections of the pool are taken, requests wait, then are refused in time, and none is lost', async () => {
    await fill(storeOf('pool'));
    const proxy = await startProxy(engine.port);
    onTestFinished(() => proxy.close());
    const pool = 'directConnection=true&maxPoolSize=1&waitQueueTimeoutMS=1000';
    const server = await startServer(`mongodb://127.0.0.1:${proxy.port}/pool?${pool}`);
    onTestFinished(() => server.end());
    const load = startLoad([server.base], 24);
    await load.created(10);
    proxy.delay(50); // so that 24 that wait for one connection take longer than a second
    await load.refused();
    proxy.heal();
    await load.created(20);
    await load.stop();
    expect([...refusals(load.exchanges, 11_000)]).toEqual(['timeout']);
    await ready(server.url);
    await noneLostOrDoubled(load.exchanges.slice(-200), server.base);
  });

  it('an index is missing, searches find the same, /readyz reports it, and the next start builds it', async () => {
    const store = storeOf('index');
    await fill(store);
    const client = new MongoClient(store);
    onTestFinished(() => client.close());
    const server = await startServer(store);
    const search = async (base: string): Promise<number> => {
      const response = await fetch(`${base}/Patient?name=tremblay&gender=female&_sort=-birthdate&_total=accurate`);
      return ((await response.json()) as { total: number }).total;
    };
    expect(await search(server.base)).toBe(1);
    await client.db().collection('Patient').dropIndexes();
    expect(await search(server.base)).toBe(1);
    const body = (await (await fetch(`${server.url}/readyz`)).json()) as { problems?: readonly string[] };
    expect(body.problems).toContain('The index t of Patient is missing.');
    await server.end();
    const next = await startServer(store);
    onTestFinished(() => next.end());
    await expect.poll(async () => readiness(next.url), { timeout: 20_000 }).toEqual({ status: 200, said: 'ok' });
    await expect
      .poll(async () => (await client.db().collection('Patient').indexes()).length, { timeout: 20_000 })
      .toBeGreaterThan(5);
    expect(await search(next.base)).toBe(1);
  });
});
