// What published clients send, as they send it. https://hl7.org/fhir/R4/http.html
import { request as send } from 'node:http';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf } from '../support/media.ts';
import { communication, everything, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  server = await serveVersioned();
  headers = { ...server.authorized(everything), 'Content-Type': 'application/fhir+json' };
});
afterAll(() => server.close());

const called = (value: string) => communication(undefined, { identifier: [{ system: 'urn:x', value }] });
const post = (body: unknown, more: Readonly<Record<string, string>> = {}) =>
  server.ask('POST', '/Communication', { headers: { ...headers, ...more }, body: JSON.stringify(body) });

/** Sends a request whose headers and body are bytes. */
function sendBytes(path: string, own: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, ...own } };
    send(`${server.base}${path}`, options, response => resolve((response.resume(), response.statusCode ?? 0)))
      .on('error', reject)
      .end(body);
  });
}

describe('If-None-Exist', () => {
  it.each([
    ['a query', (value: string) => `identifier=urn:x|${value}`],
    ['a query after `?`', (value: string) => `?identifier=urn:x|${value}`],
    ['the type and a query', (value: string) => `Communication?identifier=urn:x|${value}`],
    ['a path and a query', (value: string) => `/Communication?identifier=urn:x|${value}`],
    ['the URL of the search', (value: string) => `${server.base}/Communication?identifier=urn:x|${value}`],
    ['the URL at another name of this host', (value: string) => `http://ehr/r4/demo/Communication?identifier=${value}`],
  ])('takes %s', async (name, criteria) => {
    const statuses = [];
    for (const value of ['a?b', 'a?b', 'c'])
      statuses.push(
        (await post(called(name + value), { 'If-None-Exist': criteria(name + value).replaceAll('`', '%60') })).status,
      );
    expect(statuses).toEqual([201, 200, 201]);
  });

  it.each([['Patient?identifier=1'], ['http://ehr/r4/other/Communication?identifier=1'], ['/metadata?identifier=1']])(
    'refuses %s, which is another search',
    async criteria => {
      const answer = await post(called('other'), { 'If-None-Exist': criteria });
      expect([answer.status, ...issuesOf(answer)]).toEqual([400, 'value http."If-None-Exist"']);
      expect(answer.json.issue[0].diagnostics).toContain('is not the search of Communication here');
    },
  );

  it('is read as UTF-8, as curl sends it, and refused in other bytes', async () => {
    const body = Buffer.from(JSON.stringify(called('Élan')));
    const raw = Buffer.from('identifier=urn:x|Élan').toString('latin1');
    expect(await sendBytes('/Communication', { 'If-None-Exist': raw }, body)).toBe(201);
    expect(await sendBytes('/Communication', { 'If-None-Exist': raw }, body)).toBe(200);
    expect(await sendBytes('/Communication', { 'If-None-Exist': 'identifier=urn:x|\xc9lan' }, body)).toBe(400);
  });
});

describe('a compressed body', () => {
  const text = Buffer.from(JSON.stringify(called('packed')));
  it.each([
    ['gzip', gzipSync(text), 201],
    ['x-gzip', gzipSync(text), 201],
    ['GZIP', gzipSync(text), 201],
    ['deflate', deflateSync(text), 201],
    ['identity', text, 201],
    ['gzip', text, 400],
    ['gzip', gzipSync(text).subarray(0, -20), 400],
    ['deflate', gzipSync(text), 400],
    ['gzip, gzip', gzipSync(gzipSync(text)), 415],
    ['br', text, 415],
  ])('in %s is inflated', async (encoding, body, status) => {
    expect(await sendBytes('/Communication', { 'Content-Encoding': encoding }, body)).toBe(status);
  });

  it('is bounded by its inflated size', async () => {
    const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
    expect(await sendBytes('/Communication', { 'Content-Encoding': 'gzip' }, bomb)).toBe(413);
  });

  it('may be a Bundle that is much larger than what was announced', async () => {
    const kinds = [' ', '\n', '\t', '\r'];
    const noise = Array.from({ length: 6_000_000 }, () => kinds[Math.floor(Math.random() * 4)]).join('');
    const entry = '{"request":{"method":"GET","url":"Patient/p1"}}';
    const text = `{"resourceType":"Bundle","type":"batch","entry":[${noise}${' '.repeat(30_000_000)}${entry}]}`;
    const body = gzipSync(text, { level: 1 });
    expect(body.length).toBeGreaterThan(1024 * 1024);
    expect(await sendBytes('/', { 'Content-Encoding': 'gzip' }, body)).toBe(200);
  });

  it('may be the form of a search', async () => {
    const own = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Encoding': 'gzip' };
    expect(await sendBytes('/Communication/_search', own, gzipSync('_count=1'))).toBe(200);
  });
});

describe('a body that begins with a byte order mark', () => {
  it('is read without it', async () => {
    const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(called('marked')))]);
    expect(await sendBytes('/Communication', {}, marked)).toBe(201);
  });
});

describe('a search', () => {
  it.each([
    ['/Communication/_search?identifier=found', 1],
    ['/Communication/?identifier=found', 1],
    ['/Communication?identifier=found&_pretty', 1],
    ['/Communication?identifier=found&_lastUpdated=lt2030-01-01T10:00:00+01:00', 1],
  ])('by GET %s', async (path, count) => {
    await server.put('/Communication/found', {
      ...communication('found', { identifier: [{ value: 'found' }], sent: '2026-01-01T10:00:00Z' }),
    });
    const answer = await server.get(path);
    expect([answer.status, answer.json.entry?.length]).toEqual([200, count]);
  });

  it.each([
    ['/Communication/'],
    ['/Communication/?_format=json'],
    ['/Communication/?_summary=true'],
    ['/Communication/?'],
  ])('is not %s, a read without an id', async path => {
    expect((await server.get(path)).status).toBe(404);
  });

  it('of a history takes an offset whose `+` is not escaped', async () => {
    expect((await server.get('/Communication/_history?_since=2020-01-01T10:00:00+01:00')).status).toBe(200);
    expect((await server.get('/Communication/_history?_since=2020-01-01T10:00:00+01:00x')).status).toBe(400);
  });

  it('by POST without `_search` is refused with the two that may be meant', async () => {
    const answer = await server.ask('POST', '/Communication?identifier=x', { headers, body: '{}' });
    expect([answer.status, ...issuesOf(answer)]).toEqual([400, 'not-supported http.identifier']);
    expect(answer.json.issue[0].diagnostics).toMatch(/If-None-Exist.*Communication\/_search/);
  });
});

describe('a parameter of no standard', () => {
  const own = ['_dc=1', '_=1732700000', '_totalMethod=accurate', '_cacheBuster=x', '_dc:x=1'];
  it.each(own)('%s is ignored in a search, with an outcome', async parameter => {
    await server.put('/Communication/foreign', communication('foreign', { identifier: [{ value: 'foreign' }] }));
    const path = `/Communication?identifier=foreign&${parameter}`;
    const { status, json } = await server.get(path);
    const modes = json.entry.map(({ search }: { search: { mode: string } }) => search.mode);
    expect([status, modes]).toEqual([200, ['match', 'outcome']]);
    expect(json.entry[1].resource.issue).toMatchObject([{ severity: 'warning' }]);
    expect(json.link[0].url).toBe(`${server.base}/Communication?identifier=foreign`);
  });

  it.each(own)('%s is ignored in reads, histories, pages and metadata', async parameter => {
    const page = (await server.get('/Communication?_count=1')).json.link.find(
      ({ relation }: { relation: string }) => relation === 'next',
    );
    const next = `${page.url.slice(server.base.length)}&${parameter}`;
    const paths = [`/Patient/p1?${parameter}`, `/Communication/_history?${parameter}`, `/metadata?${parameter}`, next];
    for (const path of paths) expect([path, (await server.get(path)).status]).toEqual([path, 200]);
  });

  it.each([...own, '_lastUpdate=2020', '_sorted=date', '_ID=x', '_totl=none', 'dc=1'])(
    '%s is refused where it must be, or is a typing error',
    async parameter => {
      const strict = { ...headers, Prefer: 'handling=strict' };
      expect((await server.get(`/Communication?${parameter}`, strict)).status).toBe(400);
      expect((await server.get(`/Patient/p1?${parameter}`, strict)).status).toBe(400);
      const expected = own.includes(parameter) ? 200 : 400;
      expect((await server.get(`/Communication?${parameter}`)).status).toBe(expected);
    },
  );

  it('is never ignored in a write, or in criteria', async () => {
    const body = JSON.stringify(communication('p1'));
    for (const [method, path] of [
      ['PUT', '/Communication/foreign?_dc=1'],
      ['PUT', '/Communication?identifier=1&_dc=1'],
      ['POST', '/Communication?_dc=1'],
      ['DELETE', '/Communication/foreign?_dc=1'],
      ['DELETE', '/Communication?identifier=1&_dc=1'],
    ] as const)
      expect([method, path, (await server.ask(method, path, { headers, body })).status]).toEqual([method, path, 400]);
    expect((await post(called('1'), { 'If-None-Exist': 'identifier=1&_dc=1' })).status).toBe(400);
  });
});

describe('a merge patch', () => {
  const patch = (id: string, body: unknown, type: string) =>
    server.patch(`/Communication/${id}`, body as object, { 'Content-Type': type });

  it.each([
    ['application/merge-patch+json', { note: [{ text: 'b' }], category: null, subject: { display: 'Ann' } }],
    ['application/fhir+json', { note: [{ text: 'b' }], category: null, subject: { display: 'Ann' } }],
    [
      'application/json',
      { resourceType: 'Communication', note: [{ text: 'b' }], category: null, subject: { display: 'Ann' } },
    ],
  ])('in %s replaces members, merges objects and removes what is null', async (type, body) => {
    const fields = { note: [{ text: 'a' }, { text: 'z' }], category: [{ text: 'c' }] };
    await server.put('/Communication/merged', communication('merged', fields));
    const { status, json } = await patch('merged', body, type);
    expect([status, json.note, json.category]).toEqual([200, [{ text: 'b' }], undefined]);
    expect(json.subject).toEqual({ reference: 'Patient/p1', display: 'Ann' });
  });

  it('keeps digits, and makes no version of no change', async () => {
    const text = JSON.stringify(communication('digits', { extension: [{ url: 'urn:d', valueDecimal: 0 }] }));
    await server.put('/Communication/digits', text.replace('"valueDecimal":0', '"valueDecimal":1.50'));
    const answer = await patch('digits', { status: 'stopped' }, 'application/merge-patch+json');
    expect(answer.text).toContain('"valueDecimal":1.50');
    expect((await patch('digits', {}, 'application/merge-patch+json')).headers.etag).toBe(answer.headers.etag);
  });

  it.each([
    ['another type', { resourceType: 'Patient', active: true }, 'application/json', 400],
    ['a value that is no object', 'text', 'application/merge-patch+json', 400],
    ['an element that does not exist', { colour: 'red' }, 'application/merge-patch+json', 400],
    ['a required element removed', { status: null }, 'application/merge-patch+json', 400],
  ])('refuses %s', async (_, body, type, status) => {
    await server.put('/Communication/refused', communication('refused'));
    expect((await patch('refused', body, type)).status).toBe(status);
  });
});

it('an answer with a record is stored by no cache', async () => {
  expect((await server.get('/Patient/p1')).headers['cache-control']).toBe('no-store');
});
