// https://hl7.org/fhir/R4/http.html#Status-Codes and https://hl7.org/fhir/R4/valueset-issue-type.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const many = Array.from({ length: 6_000 }, (_, at) =>
  observation(`o${at}`, { code: { coding: [{ system: 'http://loinc.org', code: `${at % 50}-1` }] } }),
);
const people = Array.from({ length: 1_000 }, (_, at) => patient(`p${at}`));
const flags = ['--search-deadline', '0.001'];

let server: Served;
beforeAll(async () => {
  server = await serve([...many, ...people], flags);
});
afterAll(() => server.close());

describe('a search that runs past its deadline', () => {
  const wide = '/Observation?code:not=1-1&date:missing=false&category:not=x';

  it('is 403 too-costly with advice, and no partial page', async () => {
    const { status, json } = await server.get(`${wide}&_total=accurate`);
    expect([status, json.resourceType, json.issue[0].code]).toEqual([403, 'OperationOutcome', 'too-costly']);
    expect(json.issue[0].diagnostics).toContain('Narrow it');
  });

  it('leaves out an estimated total, and says so', async () => {
    const { status, json } = await server.get(`${wide}&_total=estimate&_count=2`);
    expect([status, json.total, json.entry.length]).toEqual([200, undefined, 3]);
    expect(json.entry[2]).toMatchObject({
      resource: { resourceType: 'OperationOutcome', issue: [{ severity: 'information', code: 'too-costly' }] },
      search: { mode: 'outcome' },
    });
  });
});

describe('searches that wait for others longer than the deadline', () => {
  it('are 503 throttled with Retry-After, without the advice to narrow them', async () => {
    const path = '/Observation?code:not=1-1&date:missing=false&category:not=x&_total=accurate';
    // A server that has not searched yet: its reader threads start meanwhile, which takes longer than the deadline.
    const fresh = await serve(many, flags);
    const answers = await Promise.all(Array.from({ length: 50 }, () => fresh.get(path)));
    await fresh.close();
    const refusals = answers.map(({ status, json, headers }) => [status, json.issue[0].code, headers['retry-after']]);
    expect(refusals).toContainEqual([503, 'throttled', '5']);
    expect(refusals.filter(([status]) => status !== 503).every(([status]) => status === 403)).toBe(true);
  });
});

describe('a search by a parameter whose index is being built', () => {
  it('is 503 incomplete with progress until it is complete; other searches continue', async () => {
    const { indexes } = server.running.engine.store;
    const building = indexes.rebuild('demo', 'Observation', 'code')[Symbol.asyncIterator]();
    const first = await building.next();
    expect(first.done).toBe(false);
    const { status, json, headers } = await server.get('/Observation?code=1-1');
    expect([status, json.issue[0].code, headers['retry-after']]).toEqual([503, 'incomplete', '10']);
    expect(json.issue[0].expression).toEqual(['http.code']);
    expect(json.issue[0].diagnostics).toMatch(/`code` \(\d+ of 6000 resources\)/);
    expect((await server.get('/Observation?category=vital-signs&_count=1')).status).toBe(200);
    while ((await building.next()).done !== true);
    expect((await server.get('/Observation?code=1-1&_count=1')).status).toBe(200);
  });

  it('so is a sort by it, also the order that goes without saying', async () => {
    const { indexes } = server.running.engine.store;
    const building = indexes.rebuild('demo', 'Observation', 'date')[Symbol.asyncIterator]();
    await building.next();
    const status = async (query: string): Promise<number> => (await server.get(`/Observation?${query}`)).status;
    expect(await status('_sort=date&_count=1')).toBe(503);
    expect((await server.get('/Observation?_sort=date')).json.issue[0].expression).toEqual(['http._sort']);
    expect(await status('_count=1')).toBe(503);
    expect(await status('_sort=_id&_count=1')).toBe(200);
    expect(await status('_summary=count')).toBe(200);
    while ((await building.next()).done !== true);
    expect(await status('_sort=date&_count=1')).toBe(200);
  });

  it('so is the order by creation of a type that has no sort date', async () => {
    const { indexes } = server.running.engine.store;
    const building = indexes.rebuild('demo', 'Patient')[Symbol.asyncIterator]();
    expect((await building.next()).done).toBe(false);
    const { status, json } = await server.get('/Patient?_count=1');
    expect([status, json.issue?.[0].code]).toEqual([503, 'incomplete']);
    while ((await building.next()).done !== true);
    expect((await server.get('/Patient?_count=1')).status).toBe(200);
  });
});
