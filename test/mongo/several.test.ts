// Several servers on one database, with kills of servers and of the primary, under random updates, deletes, conditional
// creates, transactions and a change of definitions. Transactions, the primary and the cluster are simulated.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { checkAnswers, noAnswers, writeDuring } from '../faults/contract-writers.ts';
import { definitions, type Running, start } from '../faults/versioned-server.ts';
import { inOneProcess } from '../cli/one-process.ts';
import { root } from '../cli/process.ts';
import { open } from '../support/filled-store.ts';
import { startMongo } from '../support/mongodb/engine.ts';
import { createThrottle, TooManyAttempts } from '../../src/smart/sign-in/throttle.ts';
import type { Store } from '../../src/store/port/store.ts';
import { withDatabase } from '../support/mongodb/place.ts';
import { simulatedRouter } from '../support/mongodb/router.ts';

const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 1);
const run = inOneProcess();

it.each([
  ['two servers on a simulated replica set', 2, false],
  ['three servers on a simulated sharded cluster', 3, true],
] as const)(
  `%s lose, double and halve nothing, whatever is killed`,
  async (_, count, isSharded) => {
    const engine = await startMongo({ remembers: true });
    onTestFinished(() => engine.remove());
    const url = withDatabase(isSharded ? await routed(engine.url) : engine.replicaSetUrl, 'records');
    const folder = mkdtempSync(join(tmpdir(), 'several-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(definitions, folder, { recursive: true });
    const store = await open(url, 'serve');
    await store.partitions.add('demo', { zone: 'UTC' });
    await store.close();

    const servers = await Promise.all(Array.from({ length: count }, () => start(url, folder)));
    onTestFinished(() => servers.forEach(({ process }) => void process.kill('SIGKILL')));
    const answers = noAnswers();
    let reloaded: number | null = null;
    const killServer = async (at: number): Promise<void> => {
      const killed = servers[at % count];
      killed?.process.kill('SIGKILL');
      await killed?.ended;
      await setTimeout(100); // the others serve on
      servers[at % count] = await start(url, folder);
    };
    const killPrimary = async (): Promise<void> => {
      await engine.kill();
      await engine.start();
      await setTimeout(500);
    };
    for (let round = 0; round < rounds; round += 1)
      await writeDuring(servers, round, answers, async () => {
        await setTimeout((round * 137) % 400);
        await killServer(round);
        await killPrimary();
        if (round === 0) {
          cpSync(join(root, 'test/fixtures/ninth-type'), folder, { recursive: true });
          reloaded = (await run(['definitions', 'reload', '--store', url])).code;
        }
        await Promise.all([killServer(round + 1), killPrimary()]);
      });
    expect(reloaded).toBe(0);
    const [first] = servers as [Running];
    await checkAnswers(first, answers);
    for (const done of [answers.writes, answers.together, [...answers.created]]) expect(done.length).toBeGreaterThan(0);
    for (const { base } of servers)
      await expect.poll(async () => (await fetch(`${base}/Practitioner?name=a`)).status).toBe(200);
    for (const { process, ended } of servers) {
      process.kill('SIGTERM');
      expect(await ended).toBe(0);
    }
    expect((await run(['verify', '--store', url, '--definitions', folder])).code).toBe(0);
  },
  120_000 + rounds * 60_000,
);

it('two servers on a simulated replica set limit sign-ins together, whatever is killed', async () => {
  const engine = await startMongo({ remembers: true });
  onTestFinished(() => engine.remove());
  const url = withDatabase(engine.replicaSetUrl, 'records');
  const stores = [await open(url, 'serve'), await open(url, 'serve')] as const;
  onTestFinished(async () => void (await Promise.all(stores.map(store => store.close()))));
  let now = Date.now();
  const failAt = async (store: Store): Promise<number> => {
    try {
      const attempt = await createThrottle(store, () => now).begin({ user: 'ann', address: '192.0.2.1' });
      await attempt.failed();
      return 0;
    } catch (error) {
      if (error instanceof TooManyAttempts) return error.seconds;
      throw error;
    }
  };

  const waits: number[] = [];
  const afterWaits: number[] = [];
  for (let failures = 0; failures < 9; failures += 1) {
    if (failures % 3 === 2) {
      await engine.kill();
      await engine.start();
    }
    const seconds = await failAt(stores[failures % 2 === 0 ? 0 : 1]);
    waits.push(seconds);
    now += seconds * 1000;
    if (seconds > 0) afterWaits.push(await failAt(stores[failures % 2 === 0 ? 1 : 0]));
  }
  expect(waits).toEqual([0, 0, 0, 0, 0, 2, 4, 8, 16]);
  expect(afterWaits).toEqual([0, 0, 0, 0]);
}, 60_000);

async function routed(url: string): Promise<string> {
  const client = new MongoClient(url);
  try {
    return await simulatedRouter(client);
  } finally {
    await client.close();
  }
}
