// A server of several processes on MongoDB, which all write: src/processes/README.md.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { requireModel as load } from '../../src/engine/load-model.ts';
import { root } from '../cli/process.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { patient } from '../support/resources.ts';
import { serveSeveral } from './support/server.ts';
import type { SeveralProcesses } from './support/server.ts';

let definitions: string;
let server: SeveralProcesses;
beforeEach(async () => {
  definitions = join(mkdtempSync(join(tmpdir(), 'processes-')), 'definitions');
  mkdirSync(join(definitions, 'capability'), { recursive: true });
  server = await serveSeveral([patient('p1')], ['--definitions', definitions], { load }, () => newMongoPlace());
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
