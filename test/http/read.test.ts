// https://hl7.org/fhir/R4/http.html#read
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inXml } from '../support/in-xml.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
const decimals =
  '{"resourceType":"Observation","id":"o1","status":"final","code":{"text":"Height"},' +
  '"valueQuantity":{"value":1.10,"unit":"m"},"note":[{"text":"né à 1e2"}]}';

beforeAll(async () => {
  server = await serve([patient('p1'), patient('p2'), decimals]);
  await server.partition.write([{ kind: 'remove', type: 'Patient', id: 'p2' }]);
});
afterAll(() => server.close());

describe('read', () => {
  it('answers 200 with the resource, its version and when it changed', async () => {
    const { status, headers, json } = await server.get('/Patient/p1');
    expect(status).toBe(200);
    expect(json).toMatchObject({ resourceType: 'Patient', id: 'p1', meta: { versionId: '1' }, gender: 'female' });
    expect(headers).toMatchObject({
      'content-type': 'application/fhir+json; charset=utf-8',
      etag: 'W/"1"',
      'last-modified': new Date(json.meta.lastUpdated).toUTCString(),
      'cache-control': 'no-store',
      vary: 'Accept, Accept-Encoding, Origin, Prefer',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-frame-options': 'DENY',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers.date).toBeDefined();
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('passes the stored text through, numbers as they were written', async () => {
    const stored = await server.partition.read('Observation', 'o1');
    const { text } = await server.get('/Observation/o1');
    expect(text).toBe(stored?.text);
    expect(text).toContain('"value":1.10');
  });

  it('answers HEAD with the same headers and no body', async () => {
    const get = await server.get('/Patient/p1');
    const head = await server.ask('HEAD', '/Patient/p1');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'last-modified']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it.each([
    ['/Patient/none', 404, 'not-found'],
    ['/Patient/P1', 404, 'not-found'],
    ['/Patient/bad_id', 404, 'not-found'],
    [`/Patient/${'a'.repeat(65)}`, 404, 'not-found'],
    ['/Patient/a%2Fb', 404, 'not-found'],
    ['/Patient/p2', 410, 'deleted'],
    ['/patient/p1', 404, 'not-supported'],
    ['/Patient/', 404, 'not-found'],
    ['/Patient/p1/', 404, 'not-found'],
    ['/Patient/p1/Observation', 404, 'not-found'],
    ['/Patient/p1/$everything', 404, 'not-supported'],
    ['/Patient/p1/_history', 405, 'not-supported'],
    ['/Patient/p1/_history/1', 405, 'not-supported'],
    ['/Patient/%zz', 400, 'value'],
    ['/Patient/%ff', 400, 'value'],
    ['//r4/nobody/Patient/p1', 404, 'not-found'],
    ['//r4/DEMO/Patient/p1', 404, 'not-found'],
    ['//R4/demo/Patient/p1', 404, 'not-found'],
    ['//', 404, 'not-found'],
    ['//r4', 404, 'not-found'],
    ['//favicon.ico', 404, 'not-found'],
  ])('answers %s with %i %s', async (path, status, code) => {
    const { json, headers, ...answer } = await server.get(path);
    expect(answer.status).toBe(status);
    expect(json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code }] });
    expect(headers['content-type']).toBe('application/fhir+json; charset=utf-8');
  });

  it('percent-escapes in a path are decoded', async () => {
    expect((await server.get('/%50atient/p%31')).status).toBe(200);
  });

  it('takes the absolute form of a request target', async () => {
    const answer = await server.raw(
      'GET http://localhost:1/r4/demo/Patient/p1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('ignores a Content-Type and a body on GET', async () => {
    const headers = { 'Content-Type': 'application/fhir+json', 'Content-Length': '2' };
    expect((await server.ask('GET', '/Patient/p1', { headers, body: '{}' })).status).toBe(200);
  });
});

// https://hl7.org/fhir/R4/http.html#cread
describe('conditional read', () => {
  it.each([
    ['W/"1"', 304],
    ['"1"', 304],
    ['W/"2", W/"1"', 304],
    ['*', 304],
    ['W/"2"', 200],
    ['1', 200],
  ])('If-None-Match: %s → %i', async (tag, status) => {
    const answer = await server.get('/Patient/p1', { 'If-None-Match': tag });
    expect(answer.status).toBe(status);
    expect(answer.headers.etag).toBe('W/"1"');
    expect(answer.headers['last-modified']).toBeDefined();
    expect([answer.text === '', answer.headers['content-type'] === undefined]).toEqual([
      status === 304,
      status === 304,
    ]);
  });

  it('If-Modified-Since in all three forms of an HTTP date', async () => {
    const { headers } = await server.get('/Patient/p1');
    const at = new Date(headers['last-modified'] ?? '');
    const status = async (date: string): Promise<number> =>
      (await server.get('/Patient/p1', { 'If-Modified-Since': date })).status;
    expect(await status(at.toUTCString())).toBe(304);
    expect(await status(new Date(at.getTime() + 60_000).toUTCString())).toBe(304);
    expect(await status(new Date(at.getTime() - 1_000).toUTCString())).toBe(200);
    expect(await status('Sun Nov  6 08:49:37 2094')).toBe(304);
    expect(await status('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(200);
    expect(await status('yesterday')).toBe(200);
    expect(await status(at.toISOString())).toBe(200);
  });

  it('If-None-Match wins over If-Modified-Since', async () => {
    const headers = { 'If-None-Match': 'W/"9"', 'If-Modified-Since': new Date(Date.now() + 60_000).toUTCString() };
    expect((await server.get('/Patient/p1', headers)).status).toBe(200);
  });

  it('a deleted resource is 410 and an unknown one 404, whatever the client has', async () => {
    expect((await server.get('/Patient/p2', { 'If-None-Match': '*' })).status).toBe(410);
    expect((await server.get('/Patient/none', { 'If-None-Match': '*' })).status).toBe(404);
  });
});

// https://hl7.org/fhir/R4/http.html#parameters
describe('parameters of a read', () => {
  it.skipIf(inXml)('_pretty indents, keeps numbers, and the tag stays, as JSON alone', async () => {
    const { text, headers } = await server.get('/Observation/o1?_pretty=true');
    expect(text).toContain('\n  "valueQuantity": {\n    "value": 1.10,\n');
    expect(headers.etag).toBe('W/"1"');
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text));
  });

  it('_elements and _summary leave out and tag', async () => {
    const { json, text } = await server.get('/Observation/o1?_elements=value');
    expect(json.meta.tag).toEqual([
      { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' },
    ]);
    expect(Object.keys(json)).toEqual(['resourceType', 'id', 'meta', 'status', 'code', 'valueQuantity']);
    expect(text).toContain('"value":1.10');
    const summary = await server.get('/Observation/o1?_summary=text');
    expect(Object.keys(summary.json)).toEqual(['resourceType', 'id', 'meta', 'status', 'code']);
  });

  it.each([
    ['?_format=json', 200, 'application/fhir+json; charset=utf-8'],
    ['?_format=application/json', 200, 'application/json; charset=utf-8'],
    ['?_format=application/fhir+json', 200, 'application/fhir+json; charset=utf-8'],
    ['?_format=application/fhir%2Bjson', 200, 'application/fhir+json; charset=utf-8'],
    ['?_format=ttl', 406, 'application/fhir+json; charset=utf-8'],
    ['?_format=', 400, 'application/fhir+json; charset=utf-8'],
    ['?_format=json&_format=json', 400, 'application/fhir+json; charset=utf-8'],
    ['?_pretty=yes', 400, 'application/fhir+json; charset=utf-8'],
    ['?_pretty=true&_pretty=true', 400, 'application/fhir+json; charset=utf-8'],
    ['?_summary=count', 400, 'application/fhir+json; charset=utf-8'],
    ['?_summary=', 400, 'application/fhir+json; charset=utf-8'],
    ['?_elements=nmae', 400, 'application/fhir+json; charset=utf-8'],
    ['?name=a', 400, 'application/fhir+json; charset=utf-8'],
    ['?_sumary=true', 400, 'application/fhir+json; charset=utf-8'],
  ])('%s → %i %s', async (query, status, type) => {
    const answer = await server.get(`/Patient/p1${query}`, { Accept: '*/*' });
    expect([answer.status, answer.headers['content-type']]).toEqual([status, type]);
  });

  it('a misspelt element or parameter comes with a suggestion', async () => {
    expect((await server.get('/Patient/p1?_elements=nmae')).json.issue[0]).toMatchObject({
      expression: ['http._elements'],
      diagnostics: expect.stringContaining('Did you mean `name`?'),
    });
    expect((await server.get('/Patient/p1?_sumary=true')).json.issue[0].diagnostics).toContain(
      'Did you mean `_summary`?',
    );
  });

  it('Prefer: handling=lenient ignores unknown and empty parameters, but not one given twice', async () => {
    const lenient = { Prefer: 'return=minimal, handling=lenient' };
    expect((await server.get('/Patient/p1?name=a&_summary=&_format=', lenient)).status).toBe(200);
    expect((await server.get('/Patient/p1?_summary=true&_summary=true', lenient)).status).toBe(400);
  });

  it('_format wins over Accept, Accept decides otherwise', async () => {
    const turtle = { Accept: 'application/fhir+turtle' };
    expect((await server.get('/Patient/p1', turtle)).status).toBe(406);
    expect((await server.get('/Patient/p1?_format=json', turtle)).status).toBe(200);
    expect((await server.get('/Patient/p1', { Accept: 'application/json' })).headers['content-type']).toBe(
      'application/json; charset=utf-8',
    );
    expect(
      (await server.get('/Patient/p1', { Accept: 'application/fhir+json; fhirVersion=4.0' })).headers['content-type'],
    ).toBe('application/fhir+json; fhirVersion=4.0; charset=utf-8');
  });

  it('what is not there or not offered comes before what cannot be negotiated', async () => {
    const turtle = { Accept: 'application/fhir+turtle' };
    expect((await server.get('/Account/1', turtle)).status).toBe(404);
    expect((await server.ask('PUT', '/Patient/p1', { headers: turtle })).status).toBe(405);
  });
});
