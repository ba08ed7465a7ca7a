// https://hl7.org/fhir/R4/binary.html#rest
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png as picture } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')], ['--capability', r4Of(['Binary', 'Patient'])]);
}, 120_000);
afterAll(() => server.close());

const png = picture();
const fhir = { Accept: 'application/fhir+json' };
const page = Buffer.from('<p>é</p><script>alert(1)</script>');
const send = (method: string, path: string, type: string, body: Buffer | string, more = {}) =>
  server.ask(method, path, { headers: { 'Content-Type': type, ...more }, body });
/** Creates a Binary of content, and returns its path. */
const created = async (type: string, body: Buffer | string, more = {}): Promise<string> => {
  const { status, json } = await send('POST', '/Binary', type, body, more);
  expect(status).toBe(201);
  return `/Binary/${json.id}`;
};

describe('the content of a Binary', () => {
  it('is created with its own media type, and read as it was sent', async () => {
    const path = await created('image/png', png);
    const { status, bytes, headers } = await server.get(path, { Accept: 'image/png' });
    expect([status, bytes.equals(png)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      etag: 'W/"1"',
    });
    expect(headers).not.toHaveProperty('x-security-context');
    expect((await server.get(path, fhir)).json).toMatchObject({
      resourceType: 'Binary',
      contentType: 'image/png',
      data: png.toString('base64'),
    });
    const head = await server.ask('HEAD', path);
    expect([head.status, head.headers['content-type'], head.bytes.length]).toEqual([200, 'image/png', 0]);
    const same = await server.get(path, { 'If-None-Match': 'W/"1"' });
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
  });

  it.each<[string, string | undefined, string]>([
    ['no Accept', undefined, ''],
    ['any type', '*/*', ''],
    ['its kind', 'text/*;q=0.5, image/png', ''],
    ['a version', 'text/*', '/_history/1'],
  ])('is answered for %s', async (_, accept, below) => {
    const path = await created('text/html; charset=utf-8', page);
    const answer = await server.get(`${path}${below}`, accept === undefined ? {} : { Accept: accept });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      200,
      'text/html; charset=utf-8',
      page.toString(),
    ]);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each<[string, Record<string, string>, string]>([
    ['Accept names FHIR', fhir, ''],
    ['Accept names JSON', { Accept: 'application/json, */*;q=0.1' }, ''],
    ['the URL names a format', {}, '?_format=json'],
    ['a part is requested', {}, '?_elements=contentType'],
  ])('is not answered where %s', async (_, headers, query) => {
    const { status, json } = await server.get(`${await created('image/png', png)}${query}`, headers);
    expect([status, json.resourceType, json.contentType]).toEqual([200, 'Binary', 'image/png']);
  });

  it('is 406 in another type, with the one that it has', async () => {
    const { status, json } = await server.get(await created('image/png', png), { Accept: 'application/pdf' });
    expect([status, json.issue[0].code, json.issue[0].diagnostics]).toEqual([
      406,
      'not-supported',
      'The content is `image/png`: accept that, or `application/fhir+json` for the resource.',
    ]);
  });

  it('replaces another by PUT, also under an id that the client chooses', async () => {
    const made = await send('PUT', '/Binary/chosen', 'text/plain', 'one');
    expect([made.status, made.headers.location]).toEqual([201, `${server.base}/Binary/chosen/_history/1`]);
    const next = await send('PUT', '/Binary/chosen', 'application/pdf', '%PDF', { 'If-Match': 'W/"1"' });
    expect(next.status).toBe(200);
    expect((await server.get('/Binary/chosen')).text).toBe('%PDF');
    expect((await server.get('/Binary/chosen/_history/1')).text).toBe('one');
    expect((await send('PUT', '/Binary/chosen', 'text/plain', 'x', { 'If-Match': 'W/"1"' })).status).toBe(412);
  });

  it('may be another resource, or JSON that is none; a Binary in a type of FHIR is itself', async () => {
    const other = JSON.stringify(patient('other'));
    const path = await created('application/fhir+json', other);
    expect((await server.get(path)).text).toBe(other);
    expect((await server.get(path, fhir)).json.contentType).toBe('application/fhir+json');
    expect((await server.get(await created('application/json', '{"a":1}'))).text).toBe('{"a":1}');
    const binary = { resourceType: 'Binary', contentType: 'text/plain', data: 'QQ==' };
    expect((await server.get(await created('application/fhir+json', JSON.stringify(binary)))).text).toBe('A');
    const broken = await send('POST', '/Binary', 'application/fhir+json', '{"contentType":"text/plain"}');
    expect([broken.status, broken.json.issue[0].code]).toEqual([400, 'structure']);
  });

  it('may be empty, or not text at all, or begin with a byte order mark', async () => {
    const mark = Buffer.from('\ufeffa,b\n');
    expect((await server.get(await created('text/csv', mark))).bytes).toEqual(mark);
    const all = Buffer.from(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    expect((await server.get(await created('application/octet-stream', all))).bytes).toEqual(all);
    const empty = await created('text/plain', '');
    expect((await server.get(empty, fhir)).json).not.toHaveProperty('data');
    expect((await server.get(empty)).json.resourceType).toBe('Binary'); // it has no content
  });

  it('needs a media type, and is limited as other records are', async () => {
    const none = await server.ask('POST', '/Binary', { body: 'x' });
    expect([none.status, none.json.issue[0].code]).toEqual([415, 'not-supported']);
    expect((await send('POST', '/Binary', 'nothing', 'x')).status).toBe(415);
    expect((await send('POST', '/Binary', 'text/plain', Buffer.alloc(900_000))).status).toBe(413);
    expect((await send('POST', '/Binary', 'text/plain', Buffer.alloc(2_000_000))).status).toBe(413);
    expect((await send('POST', '/Patient', 'text/plain', 'x')).status).toBe(415); // no other type
  });

  it('has the context that X-Security-Context names', async () => {
    const path = await created('text/plain', 'x', { 'X-Security-Context': 'Patient/p1' });
    expect((await server.get(path, fhir)).json.securityContext).toEqual({ reference: 'Patient/p1' });
    expect((await server.get(path)).headers['x-security-context']).toBe('Patient/p1');
    for (const wrong of ['p1', 'Élan', ['Patient/p1', 'Patient/p1']]) {
      const { status, json } = await send('POST', '/Binary', 'text/plain', 'x', { 'X-Security-Context': wrong });
      expect([status, json.issue[0].expression]).toEqual([400, ['http."X-Security-Context"']]);
    }
  });

  it('is in a batch a resource', async () => {
    const url = (await created('text/plain', 'x')).slice(1);
    const bundle = { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url } }] };
    const { json } = await send('POST', '/', 'application/fhir+json', JSON.stringify(bundle));
    expect(json.entry[0].resource.resourceType).toBe('Binary');
  });
});
