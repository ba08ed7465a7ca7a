// Several servers on one database follow the definitions that one of them brings.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { type RunningEngine, startEngine } from '../../src/engine/engine.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';

const ninth = join(import.meta.dirname, '../fixtures/ninth-type');

let place: Awaited<ReturnType<typeof newMongoPlace>>;
let folder: string;
let servers: RunningEngine[];
beforeEach(async () => {
  place = await newMongoPlace();
  folder = mkdtempSync(join(tmpdir(), 'live-'));
  mkdirSync(join(folder, 'capability'));
  servers = [];
});
afterEach(async () => {
  await Promise.all(servers.map(server => server.close()));
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

const start = async (...flags: readonly string[]): Promise<RunningEngine> => {
  const own = ['--port', '0', '--public-url', 'http://records.example', '--log', 'off', '--access', 'open'];
  const server = await startEngine(readConfig([...own, '--store', place.url, ...flags]));
  servers.push(server);
  return server;
};
const create = async ({ port }: RunningEngine, type: string, body: object): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${port}/r4/clinic/${type}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/fhir+json' },
    body: JSON.stringify({ resourceType: type, ...body }),
  });
  await answer.arrayBuffer();
  return answer.status;
};
const practitioner = {
  name: [{ family: 'Roy' }],
  qualification: [{ identifier: [{ value: '81' }], code: { text: 'MD' } }],
};
const found = async ({ port }: RunningEngine): Promise<number | string> => {
  const answer = await fetch(`http://127.0.0.1:${port}/r4/clinic/Practitioner?license=81`);
  const { entry, issue } = (await answer.json()) as { entry?: unknown[]; issue?: { code: string }[] };
  return entry?.length ?? `${answer.status} ${issue?.[0]?.code}`;
};
const versionOf = async ({ port }: RunningEngine): Promise<string> =>
  ((await (await fetch(`http://127.0.0.1:${port}/r4/clinic/metadata`)).json()) as { version: string }).version;

it('a reload and a rollback of one server are those of the others', async () => {
  const one = await start('--definitions', folder);
  await one.engine.store.partitions.add('clinic', { zone: 'UTC' });
  const other = await start('--definitions', folder);
  const first = await versionOf(other);
  cpSync(ninth, folder, { recursive: true });
  expect((await one.definitions.reload()).kind).toBe('changed');
  await expect.poll(() => create(other, 'Practitioner', practitioner)).toBe(201);
  expect(await create(one, 'Practitioner', practitioner)).toBe(201);
  for (const server of [one, other]) await expect.poll(() => found(server)).toBe(2);
  expect(await versionOf(one)).toBe(await versionOf(other));
  expect((await other.definitions.rollback()).kind).toBe('changed');
  await expect.poll(() => versionOf(one)).toBe(first);
});

it('a rollback restores what was in use before, also by a server that does not follow yet', async () => {
  const one = await start('--definitions', folder);
  await one.engine.store.partitions.add('clinic', { zone: 'UTC' });
  const other = await start('--definitions', folder);
  const first = other.engine.model.digest;
  cpSync(ninth, folder, { recursive: true });
  await one.definitions.reload();
  expect(await other.definitions.rollback()).toMatchObject({ kind: 'changed', set: { digest: first } });
  await expect.poll(() => one.engine.model.digest).toBe(first);
});

it('a server that starts with other definitions brings them, and those before reject no write', async () => {
  cpSync(ninth, folder, { recursive: true });
  const one = await start('--definitions', folder);
  await one.engine.store.partitions.add('clinic', { zone: 'UTC' });
  const first = await versionOf(one);
  rmSync(join(folder, 'searchparameters'), { recursive: true });
  const statement = readFileSync(join(folder, 'capability/practitioner.json'), 'utf8');
  const without = statement.replace(/,\s*\{\s*"name": "license"[^}]*\}/, '');
  expect(without).not.toBe(statement);
  writeFileSync(join(folder, 'capability/practitioner.json'), without);
  const starting = start('--definitions', folder);
  const statuses = new Set<number>();
  const started = new AbortController();
  void starting.then(() => started.abort());
  for (let at = 0; at < 30 || !started.signal.aborted; at += 1) {
    statuses.add(await create(one, 'Practitioner', practitioner));
    await new Promise(done => setTimeout(done, 50));
  }
  expect([...statuses]).toEqual([201]);
  const second = await versionOf(await starting);
  expect(second).not.toBe(first);
  await expect.poll(() => versionOf(one)).toBe(second);
  for (const server of servers) await expect.poll(() => found(server)).toBe('400 not-supported');
});
