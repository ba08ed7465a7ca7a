import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import type { RunningEngine } from '../../src/engine/engine.ts';
import { createLog } from '../../src/observability/log.ts';
import * as t from '../store/support/fixture.ts';
import { list } from '../store/support/list.ts';
import { requireModel } from '../support/loaded-once.ts';
import { startServer } from '../support/processes/start.ts';
import { put } from '../support/serve.ts';
import { auditOf } from '../support/audit-of.ts';

let running: RunningEngine;
let place: Awaited<ReturnType<typeof t.newPlace>>;
let log = '';
afterEach(async () => {
  await running.close();
  await place.remove();
});

/** A server of a store that was made before, on whose disk a file lies where the folder of events would be. */
async function begin(...flags: string[]): Promise<void> {
  place = await t.newPlace();
  await (await t.openDemo(place.url)).store.close();
  log = '';
  const config = readConfig(['--port', '0', '--access', 'open', '--store', place.url, ...flags]);
  writeFileSync(`${place.path}.audit`, 'in its place');
  running = await startServer(config, createLog('error', { write: text => (log += text) }), { load: requireModel });
  const { store } = running.engine;
  await store.partitions.add('demo', { zone: 'UTC' });
  const demo = await store.partition('demo');
  if (demo !== undefined) await put(demo, [{ resourceType: 'Patient', id: 'p1' }]);
}

const media =
  '{"resourceType":"Media","status":"completed","subject":{"reference":"Patient/p1"},' +
  '"content":{"contentType":"image/gif","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}}';
const get = (path: string): Promise<Response> => fetch(`${running.url}${path}`);
const create = (): Promise<Response> =>
  fetch(`${running.url}/r4/demo/Media`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/fhir+json' },
    body: media,
  });
const written = async (): Promise<number | undefined> => (await running.engine.store.partition('demo'))?.count('Media');
/** The same code as where the store cannot write. */
const unwritable = {
  issue: [{ code: 'no-store', diagnostics: expect.stringContaining('audit log cannot be written') }],
};
const ok = '{"status":"ok"}';
const ready = async (): Promise<string> => (await get('/readyz')).text();
const heal = (): void => rmSync(`${place.path}.audit`);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await holds()); await new Promise(done => setTimeout(done, 25)))
    if (Date.now() > end) throw new Error('It did not come to that');
}

describe('where events cannot be kept', () => {
  it('rejects a write, then all requests, before anything is written, and recovers automatically', async () => {
    await begin();
    const refused = await create();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await refused.json()).toMatchObject(unwritable);
    expect(await written()).toBe(0);
    for (const path of ['/r4/demo/Patient/p1', '/r4/demo/Patient', '/r4/elsewhere/Patient', '/readyz'])
      expect((await get(path)).status).toBe(503);
    expect(await (await get('/readyz')).json()).toMatchObject(unwritable);
    for (const path of ['/healthz', '/r4/demo/metadata']) expect((await get(path)).status).toBe(200);
    expect(log.match(/The audit log cannot be written/g)).toHaveLength(1);
    expect(log).toMatch(/sqlite\.audit` could not be read\. .*Check that its disk is mounted/);
    heal();
    await until(async () => (await get('/readyz')).status === 200);
    expect((await create()).status).toBe(201);
    const events = (await list(readEvents(auditOf(running.engine.store)))).map(({ text }) => text);
    expect(events.some(text => text.includes('"code":"audit-outage"'))).toBe(true);
  });

  it('a read that was answered before that was known is kept when it can be', async () => {
    await begin();
    let answered = 0;
    await until(async () => {
      const { status } = await get('/r4/demo/Patient/p1');
      answered += Number(status === 200);
      return status === 503;
    });
    expect(answered).toBeGreaterThan(0);
    heal();
    await until(async () => (await get('/readyz')).status === 200);
    const events = await list(readEvents(auditOf(running.engine.store), { patient: 'p1' }));
    expect(events).toHaveLength(answered);
  });

  it('all continues where the setting says so, and what was done is kept later', async () => {
    await begin('--audit-failure', 'open');
    expect((await create()).status).toBe(201);
    expect((await get('/r4/demo/Patient/p1')).status).toBe(200);
    const degraded = { status: 'degraded', problems: ['The audit log cannot be written.'] };
    await until(async () => (await ready()) !== ok);
    expect(JSON.parse(await ready())).toEqual(degraded);
    heal();
    await until(async () => (await ready()) === ok);
    const outcomes = (await list(readEvents(auditOf(running.engine.store), { partition: 'demo' }))).map(
      ({ text }) => /"outcome":"(.)"/.exec(text)?.[1] ?? 'begun',
    );
    expect(outcomes.toSorted()).toEqual(['0', '0', 'begun']); // several processes keep theirs each
  });
});

describe('a server that ends', () => {
  it('keeps what was not kept yet', async () => {
    await begin();
    heal();
    expect((await get('/r4/demo/Patient/p1')).status).toBe(200);
    await running.close();
    const store = await t.openDemo(place.url, { mode: 'command' });
    expect(await list(readEvents(auditOf(store.store), { patient: 'p1' }))).toHaveLength(1);
    await store.store.close();
  });
});

it('expired events are deleted at the start, and an event records it', async () => {
  place = await t.newPlace();
  let now = Date.parse('2025-01-01T12:00:00Z');
  const start = (): Promise<RunningEngine> =>
    startEngine(
      readConfig(['--port', '0', '--access', 'open', '--store', place.url, '--audit-days', '30', '--log', 'off']),
      undefined,
      { now: () => now },
    );
  running = await start();
  await get('/r4/demo/Patient/p1');
  await running.close();
  now += 32 * 86_400_000;
  running = await start();
  const events = (): Promise<readonly { readonly text: string }[]> => list(readEvents(auditOf(running.engine.store)));
  await until(async () => (await events()).some(({ text }) => text.includes('audit-prune')));
  const [event, ...others] = await events();
  expect(others).toEqual([]);
  expect(event?.text).toContain('{"type":"events","valueString":"1"}');
});
