// https://hl7.org/fhir/R4/search.html#elements: a part of a record, sent back, never replaces the whole one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuesOf } from '../support/media.ts';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const system = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';
const tagged = (id: string | undefined, fields: object = {}) =>
  communication(id, { meta: { tag: [{ code: 'first' }, { system, code: 'SUBSETTED' }] }, ...fields });
const refused = ['business-rule Communication.meta.tag[1]'];
const post = (path: string, body: object, headers = {}) =>
  server.ask('POST', path, {
    headers: { ...server.authorized(everything), 'Content-Type': 'application/fhir+json', ...headers },
    body: JSON.stringify(body),
  });
const textOf = async (id: string): Promise<string> => (await server.get(`/Communication/${id}`)).text;

describe('a subset that is sent back', () => {
  it('is rejected with its ETag and with that of the version, and the record stays whole', async () => {
    const { text } = await server.put('/Communication/whole', communication('whole', noted('to keep')));
    const part = await server.get('/Communication/whole?_elements=subject');
    expect(part.json.note).toBeUndefined();
    expect(part.headers.etag).toBe('W/"1-subset"');
    const byTag = await server.put('/Communication/whole', part.text, { 'If-Match': part.headers.etag ?? '' });
    expect([byTag.status, issuesOf(byTag)]).toEqual([412, ['conflict http."If-Match"']]);
    for (const match of ['W/"1"', '*']) {
      const sent = await server.put('/Communication/whole', part.text, { 'If-Match': match });
      expect([sent.status, issuesOf(sent)]).toEqual([422, ['business-rule Communication.meta.tag[0]']]);
    }
    expect(await textOf('whole')).toBe(text);
  });

  it.each([
    ['an update', () => server.put('/Communication/new', tagged('new'))],
    ['a create', () => post('/Communication', tagged(undefined))],
    ['a conditional create', () => post('/Communication', tagged(undefined), { 'If-None-Exist': '_id=none' })],
    ['a conditional update', () => server.put('/Communication?identifier=urn:none|1', tagged(undefined))],
    ['a validation of a create', () => post('/Communication/$validate?mode=create', tagged(undefined))],
  ])('is rejected by %s', async (title, send) => {
    const answer = await send();
    expect(answer.status).toBe(title === 'a validation of a create' ? 200 : 422);
    expect(issuesOf(answer)).toEqual(expect.arrayContaining(refused));
  });

  it('is rejected as the result of a patch', async () => {
    const { text } = await server.put('/Communication/patched', communication('patched'));
    const tag = [{ code: 'first' }, { system, code: 'SUBSETTED' }];
    const patched = await server.patch('/Communication/patched', [{ op: 'add', path: '/meta/tag', value: tag }]);
    expect([patched.status, issuesOf(patched)]).toEqual([422, refused]);
    expect(await textOf('patched')).toBe(text);
  });

  it.each(['PUT', 'POST'])('is rejected by a transaction with %s, as a whole', async method => {
    const id = `in-${method.toLowerCase()}`;
    const entry = (resource: object, url: string) => ({ resource, request: { method, url } });
    const at = (name: string) => (method === 'PUT' ? `Communication/${name}` : 'Communication');
    const both = [entry(communication(`${id}-1`), at(`${id}-1`)), entry(tagged(`${id}-2`), at(`${id}-2`))];
    const total = async () => (await server.get('/Communication?_summary=count')).json.total;
    const before = await total();
    const answer = await post('', { resourceType: 'Bundle', type: 'transaction', entry: both });
    expect(answer.status).toBe(422);
    expect(await total()).toBe(before);
  });
});

describe('an ETag of a subset', () => {
  it('is usable for If-None-Match of the same subset only', async () => {
    await server.put('/Communication/cached', communication('cached'));
    const read = async (query: string, tag: string) =>
      (
        await server.get(`/Communication/cached${query}`, {
          ...server.authorized(everything),
          'If-None-Match': tag,
        })
      ).status;
    expect(await read('?_elements=subject', 'W/"1-subset"')).toBe(304);
    expect(await read('?_summary=true', 'W/"1"')).toBe(200);
    expect(await read('', 'W/"1-subset"')).toBe(200);
    expect(await read('', 'W/"1"')).toBe(304);
  });
});

describe('the tag', () => {
  it('is accepted of another system, and inside a contained resource', async () => {
    const other = { meta: { tag: [{ system: 'urn:other', code: 'SUBSETTED' }] } };
    const contained = [{ resourceType: 'Patient', id: 'p', meta: { tag: [{ system, code: 'SUBSETTED' }] } }];
    const inside = { contained, sender: { reference: '#p' } };
    expect((await server.put('/Communication/other', communication('other', other))).status).toBe(201);
    expect((await server.put('/Communication/inside', communication('inside', inside))).status).toBe(201);
    const part = await server.get('/Communication/other?_elements=subject');
    expect(part.json.meta.tag).toEqual([...other.meta.tag, { system, code: 'SUBSETTED' }]);
  });
});
