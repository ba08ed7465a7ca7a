// https://hl7.org/fhir/R4/http.html#capabilities
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve();
});
afterAll(() => server.close());

describe('metadata', () => {
  it('describes what is served, under its own base URL, to any origin', async () => {
    const { status, json, headers } = await server.get('/metadata', { Origin: 'https://elsewhere.example' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      resourceType: 'CapabilityStatement',
      status: 'active',
      kind: 'instance',
      fhirVersion: '4.0.1',
      implementation: { url: server.base },
      rest: [{ mode: 'server' }],
    });
    expect(json.rest[0].resource.map(({ type }: { type: string }) => type)).toContain('Patient');
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', etag: expect.stringMatching(/^W\/"[\w-]+"$/) });
  });

  it('lists the parameters that shape an answer, and each search takes them', async () => {
    const { rest } = (await server.get('/metadata')).json;
    const values: Readonly<Record<string, string>> = {
      _count: '1',
      _sort: '-_lastUpdated',
      _summary: 'true',
      _elements: 'id',
      _total: 'accurate',
      _explain: 'true',
    };
    const names: readonly string[] = rest[0].searchParam.map(({ name }: { name: string }) => name);
    expect(names).toEqual(Object.keys(values));
    for (const name of names) expect((await server.get(`/Patient?${name}=${values[name]}`)).status).toBe(200);
  });

  it('other answers are for their own origin alone', async () => {
    const headers = { Origin: 'https://elsewhere.example' };
    expect((await server.get('/Patient', headers)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('answers 304 to its own tag, also for HEAD and with a subset', async () => {
    for (const path of ['/metadata', '/metadata?_summary=true', '/metadata?_elements=rest']) {
      const first = await server.get(path);
      const again = await server.get(path, { 'If-None-Match': first.headers.etag ?? '' });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag]);
      expect(again.headers['access-control-allow-origin']).toBe('*');
    }
    expect((await server.get('/metadata', { 'If-None-Match': 'W/"other"' })).status).toBe(200);
  });

  it('is the same text each time', async () => {
    expect((await server.get('/metadata')).text).toBe((await server.get('/metadata')).text);
  });

  it('each partition has its own', async () => {
    await server.running.engine.store.partitions.add('second', { zone: 'UTC' });
    const { json } = await server.get('//r4/second/metadata');
    expect(json.implementation.url).toBe(`${server.running.url}/r4/second`);
  });

  it.each([
    ['?mode=full', 200],
    ['?mode=normative', 200],
    ['?mode=terminology', 200],
    ['?mode=other', 400],
    ['?_format=json', 200],
    ['?_format=xml', 200],
    ['?_format=ttl', 406],
    ['?_pretty=true', 200],
    ['?_summary=data', 200],
    ['?_summary=count', 400],
    ['?_elements=rest,format', 200],
    ['?_elements=rset', 400],
    ['?name=a', 400],
    ['/', 404],
  ])('%s → %i', async (query, status) => {
    expect((await server.get(`/metadata${query}`)).status).toBe(status);
  });

  it('_elements keeps what is mandatory and tags the rest as missing', async () => {
    const { json } = await server.get('/metadata?_elements=software');
    expect(Object.keys(json)).toEqual([
      'resourceType',
      'meta',
      'status',
      'date',
      'kind',
      'software',
      'fhirVersion',
      'format',
    ]);
    expect(json.meta.tag[0].code).toBe('SUBSETTED');
  });

  it('the Host header changes nothing', async () => {
    const { json } = await server.get('/metadata', { Host: 'app.localhost', 'X-Forwarded-Host': 'evil.example' });
    expect(json.implementation.url).toBe(server.base);
  });
});
