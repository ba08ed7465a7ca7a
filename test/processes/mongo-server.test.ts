// A server of several processes on MongoDB, which all write: src/processes/README.md.
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine, type RunningEngine } from '../../src/engine/engine.ts';
import { requireModel as load } from '../../src/engine/definitions/load-model.ts';
import { root } from '../cli/process.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { patient } from '../support/resources.ts';
import { serveSeveral } from './support/server.ts';
import type { SeveralProcesses } from './support/server.ts';

let definitions: string;
let server: SeveralProcesses;
/** Called with each child that is started. */
let forked: (child: ChildProcess) => void;
beforeEach(async () => {
  definitions = join(mkdtempSync(join(tmpdir(), 'processes-')), 'definitions');
  mkdirSync(join(definitions, 'capability'), { recursive: true });
  forked = () => {};
  const parts = { load, forked: (child: ChildProcess) => forked(child) };
  server = await serveSeveral([patient('p1')], ['--definitions', definitions], parts, () => newMongoPlace());
});
afterEach(async () => {
  await server.close();
  rmSync(definitions, { recursive: true, force: true });
});

it('reads what the other one has written, follows a reload, and is restarted', async () => {
  const [first, second] = [server.client(), server.client()];
  for (const client of [first, second]) expect((await client.ask('GET', '/Patient/p1')).status).toBe(200);
  cpSync(join(root, 'test/fixtures/ninth-type'), definitions, { recursive: true });
  expect((await server.running.definitions.reload()).kind).toBe('changed');
  const body = { resourceType: 'Practitioner', name: [{ family: 'Roy' }], qualification: [{ code: { text: 'MD' } }] };
  const { status, location = '' } = await first.ask('POST', '/Practitioner', body);
  expect(status).toBe(201);
  const id = /\/Practitioner\/([^/]+)\//.exec(location)?.[1] ?? '';
  expect((await second.ask('GET', `/Practitioner/${id}`)).text).toContain('Roy');
  for (const client of [first, second]) client.close(); // a restart waits for idle connections
  const before = server.running.children();
  await server.running.restart();
  expect(server.running.children().filter(pid => before.includes(pid))).toEqual([]);
  expect((await server.client().ask('GET', `/Practitioner/${id}`)).status).toBe(200);
});

/** Another server of the same store. */
const startOther = (): Promise<RunningEngine> => {
  const flags = ['--port', '0', '--public-url', server.running.url, '--access', 'open', '--log', 'off'];
  return startEngine(readConfig([...flags, '--store', server.store, '--definitions', definitions]));
};

it('keeps its processes when another server changes the definitions', async () => {
  const other = await startOther();
  try {
    cpSync(join(root, 'test/fixtures/ninth-type'), definitions, { recursive: true });
    const before = server.running.children();
    const clients = [server.client(), server.client()];
    const statuses = new Set<number>();
    const ended = new AbortController();
    const reading = clients.map(async client => {
      while (!ended.signal.aborted) statuses.add((await client.ask('GET', '/Patient/p1')).status);
    });
    for (const change of ['reload', 'rollback', 'reload'] as const) {
      const done = await other.definitions[change]();
      expect(done.kind).toBe('changed');
      const digest = done.kind === 'changed' ? done.set.digest : '';
      await expect.poll(() => server.running.engine.model.digest).toBe(digest);
      const status = change === 'reload' ? 200 : 405;
      for (const client of [server.client(), server.client()])
        await expect.poll(async () => (await client.ask('GET', '/Practitioner')).status).toBe(status);
    }
    ended.abort();
    await Promise.all(reading);
    expect([...statuses]).toEqual([200]);
    expect(server.running.children()).toEqual(before);
  } finally {
    await other.close();
  }
});

it('does not bring former definitions back with a process that starts meanwhile', async () => {
  const other = await startOther();
  try {
    const started: ChildProcess[] = [];
    forked = child => {
      child.kill('SIGSTOP'); // it has been told which definitions apply
      started.push(child);
    };
    const restarted = server.running.restart();
    await expect.poll(() => started.length).toBe(1);
    cpSync(join(root, 'test/fixtures/ninth-type'), definitions, { recursive: true });
    await other.definitions.reload();
    const { digest } = other.engine.model;
    await expect.poll(() => server.running.engine.model.digest).toBe(digest);
    forked = () => {};
    for (const child of started) child.kill('SIGCONT');
    await restarted;
    expect((await other.engine.store.check()).definitions).toBe(digest);
    for (const client of [server.client(), server.client()])
      expect((await client.ask('GET', '/Practitioner')).status).toBe(200);
  } finally {
    await other.close();
  }
});
