// https://hl7.org/fhir/R4/http.html#transaction: one patient's chart is one transaction to those who move charts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gzipSync } from 'node:zlib';
import { chart } from '../support/chart.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

const headers = { 'Content-Type': 'application/fhir+json' };

/** More than what stays parsed, and than what one part of a write has. */
const many = 2_500;

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--interface', 'r4']);
}, 60_000);
afterAll(() => server.close());

const send = (bundle: object | Buffer, more: Readonly<Record<string, string>> = {}): Promise<Answer> => {
  const body = Buffer.isBuffer(bundle) ? bundle : JSON.stringify(bundle);
  return server.ask('POST', '', { body, headers: { ...headers, ...more } });
};
const total = async (query: string): Promise<number> => (await server.get(`/${query}&_summary=count`)).json.total;

describe('a large transaction', () => {
  it('is written whole, with its links', async () => {
    const answer = await send(chart('whole', many), { Prefer: 'return=minimal' });
    expect([answer.status, answer.json.entry.length]).toEqual([200, many + 1]);
    const [, id] = /Patient\/([^/]+)/.exec(answer.json.entry[0].response.location) ?? [];
    expect(await total(`Observation?subject=Patient/${id}`)).toBe(many);
    const [path = ''] = /\/Observation\/.*/.exec(answer.json.entry.at(-1).response.location) ?? [];
    const last = await server.get(path);
    expect(last.json.identifier[0].value).toBe(`whole-${many - 1}`);
  }, 60_000);

  it('is written not at all if its last entry fails', async () => {
    const bundle = chart('none', many);
    const entry = [
      ...bundle.entry,
      {
        request: { method: 'PUT', url: 'Patient/x', ifMatch: 'W/"7"' },
        resource: { resourceType: 'Patient', id: 'x' },
      },
    ];
    const answer = await send({ ...bundle, entry });
    expect([answer.status, answer.json.issue[0].expression]).toEqual([
      412,
      [`Bundle.entry[${many + 1}].request.ifMatch`],
    ]);
    expect(await total('Patient?family=none')).toBe(0);
    expect(await total(`Observation?identifier=urn:x|none-0,urn:x|none-${many - 1}`)).toBe(0);
  }, 60_000);

  it('is taken compressed', async () => {
    const zipped = gzipSync(JSON.stringify(chart('zipped', 1_000)));
    expect((await send(zipped, { 'Content-Encoding': 'gzip' })).status).toBe(200);
    expect(await total('Patient?family=zipped')).toBe(1);
  }, 60_000);

  it('leaves records out of an answer without room for them, and says where they are', async () => {
    const large = chart('room', 40);
    const [first, ...rest] = large.entry;
    const fat = rest.map(one => ({ ...one, resource: { ...one.resource, note: [{ text: 'x'.repeat(1_000_000) }] } }));
    const answer = await send({ ...large, entry: [first, ...fat] });
    const shown = answer.json.entry.map((one: { resource?: object }) => one.resource !== undefined);
    expect([answer.status, shown.at(1), shown.at(-1)]).toEqual([200, true, false]);
    expect(answer.json.entry.at(-1).response).toMatchObject({
      status: '201',
      location: expect.stringContaining('/_history/1'),
    });
    expect(await total('Observation?identifier=urn:x|room-39')).toBe(1);
  }, 60_000);
});
