// https://hl7.org/fhir/R4/http.html#cond-update and https://hl7.org/fhir/R4/http.html#3.1.0.7.1
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inXml } from '../support/in-xml.ts';
import { issuesOf, post } from '../support/media.ts';
import type { Answer } from '../support/serve.ts';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const called = (value: string, fields = {}) =>
  communication(undefined, { identifier: [{ system: 'urn:call', value }], ...fields });
const criteria = (value: string) => `/Communication?identifier=urn:call|${value}`;
const put = (value: string, fields = {}, headers = {}) => server.put(criteria(value), called(value, fields), headers);
const total = async (value: string): Promise<number> =>
  (await server.get(`${criteria(value)}&_summary=count`)).json.total;
const counted = (answers: readonly Answer[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]));
const many = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, at) => work(at)));

describe('a conditional update', () => {
  it.skipIf(inXml)('creates a record if none matches, and updates the one that does, as JSON alone', async () => {
    const created = await put('a', noted('one'));
    expect([created.status, created.headers.etag]).toEqual([201, 'W/"1"']);
    expect(created.headers.location).toBe(`${server.base}/Communication/${created.json.id}/_history/1`);
    const updated = await put('a', noted('two'));
    expect([updated.status, updated.headers.etag, updated.json.id]).toEqual([200, 'W/"2"', created.json.id]);
    const same = await server.put(criteria('a'), updated.text);
    expect([same.status, same.headers.etag]).toEqual([200, 'W/"2"']);
    expect(await total('a')).toBe(1);
  });

  it('takes an id in the body only if it is that of the match, or free', async () => {
    const created = await put('b', { id: 'chosen' });
    expect([created.status, created.json.id]).toEqual([201, 'chosen']);
    expect((await put('b', { id: 'chosen', ...noted('x') })).headers.etag).toBe('W/"2"');
    const other = await put('b', { id: 'other' });
    expect([other.status, issuesOf(other)]).toEqual([400, ['value Communication.id']]);
    expect(other.json.issue[0].diagnostics).toBe(
      'The id of the resource must be `chosen`, as of the record that matches, not `other`.',
    );
    const taken = await put('c', { id: 'chosen' });
    expect([taken.status, issuesOf(taken)]).toEqual([409, ['conflict Communication.id']]);
    expect((await put('c', { id: 'not_valid' })).status).toBe(400);
  });

  it('is refused if several match, and if there are no criteria, or others than searches have', async () => {
    for (const note of ['one', 'two'])
      await server.put(`/Communication/${note}`, { ...called('d', noted(note)), id: note });
    const several = await put('d');
    expect([several.status, several.json.issue[0].code]).toEqual([412, 'multiple-matches']);
    expect(several.json.issue[0].diagnostics).toBe(
      'Several Communication match the conditional URL: narrow it to one.',
    );
    for (const path of ['/Communication', '/Communication?_count=1', '/Communication?nothing=1'])
      expect([path, (await server.put(path, called('d'))).status]).toEqual([path, 400]);
  });

  it('is of the version that If-Match names', async () => {
    expect((await put('e', {}, { 'If-Match': 'W/"1"' })).status).toBe(412);
    await put('e');
    expect((await put('e', noted('x'), { 'If-Match': 'W/"2"' })).status).toBe(412);
    expect((await put('e', noted('x'), { 'If-Match': 'W/"1"' })).headers.etag).toBe('W/"2"');
  });

  it('fifty at once with the same content make one record with one version', async () => {
    const answers = await many(() => put('race'));
    expect(counted(answers)).toEqual({ 200: 49, 201: 1 });
    expect(new Set(answers.map(({ headers }) => headers.etag))).toEqual(new Set(['W/"1"']));
    expect(await total('race')).toBe(1);
  });

  it('fifty at once with different contents make one record with a version each', async () => {
    const answers = await many(at => put('all', noted(`${at}`)));
    expect(counted(answers)).toEqual({ 200: 49, 201: 1 });
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(50);
    expect(await total('all')).toBe(1);
  }, 60_000);

  it('fifty at once with ids of their own make one record, under one of them', async () => {
    const answers = await many(at => put('own', { id: `own-${at}` }));
    expect(counted(answers)).toEqual({ 201: 1, 400: 49 });
    expect(await total('own')).toBe(1);
  });

  it('matches among the records that the caller may search, and needs a scope for that', async () => {
    await put('mine', { subject: { reference: 'Patient/p2' } });
    const ofPatient = (scope: string) => server.authorized(scope, { patient: 'p1' });
    expect((await put('mine', {}, ofPatient('patient/Communication.u'))).status).toBe(403);
    const created = await put('mine', {}, ofPatient('patient/Communication.us'));
    expect(created.status).toBe(201);
    expect(await total('mine')).toBe(2);
    const again = await put('mine', noted('x'), ofPatient('patient/Communication.us'));
    expect([again.status, again.json.id]).toEqual([200, created.json.id]);
    const searched = await put('mine', noted('y'), ofPatient('patient/Communication.u system/Communication.s'));
    expect(searched.status).toBe(412);
  });

  it('is declared: other types answer 405', async () => {
    expect((await server.put('/Patient?_id=p1', { resourceType: 'Patient' })).status).toBe(405);
  });
});

describe('a conditional delete', () => {
  const remove = (value: string, headers = {}) => server.delete(criteria(value), headers);

  it('deletes what matches, each record as by its id', async () => {
    const ids: string[] = [];
    for (const note of ['one', 'two', 'three']) {
      ids.push(`many-${note}`);
      await server.put(`/Communication/many-${note}`, { ...called('many', noted(note)), id: `many-${note}` });
    }
    const answer = await remove('many', { Prefer: 'return=OperationOutcome' });
    expect([answer.status, answer.json.issue[0].diagnostics]).toEqual([200, 'Deleted: 3 Communication.']);
    for (const id of ids) {
      const { status, headers } = await server.get(`/Communication/${id}`);
      expect([status, headers.etag]).toEqual([410, 'W/"2"']);
    }
    expect((await remove('many')).status).toBe(204);
  });

  it('deletes many, each once although several requests delete them', async () => {
    const ids = Array.from({ length: 250 }, (_, at) => `crowd-${at}`);
    const entry = ids.map(id => ({
      resource: { ...called('crowd'), id },
      request: { method: 'PUT', url: `Communication/${id}` },
    }));
    await post(server, '', { resourceType: 'Bundle', type: 'batch', entry }, server.authorized(everything));
    const answers = await Promise.all([1, 2, 3].map(() => remove('crowd', { Prefer: 'return=OperationOutcome' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const deleted = answers.map(({ json }) => Number(/^Deleted: (\d+) /.exec(json.issue[0].diagnostics)?.[1]));
    expect(deleted.reduce((sum, one) => sum + one)).toBe(250);
    const { json } = await server.get('/Communication/crowd-249/_history');
    expect(json.entry).toHaveLength(2);
  });

  it.each<[string, string]>([
    ['', 'The conditional URL has no criteria: every resource would match.'],
    ...['_count=1', '_include=*', '_revinclude:iterate=*', '_contained=false', '_containedType=container'].map(
      (query): [string, string] => [
        query,
        `\`${query.split('=')[0]}\` is not a criterion; the conditional URL accepts criteria only.`,
      ],
    ),
  ])('deletes nothing with `?%s`, which every record would match', async (query, text) => {
    await server.put('/Communication/kept', { ...called('kept'), id: 'kept' });
    const answer = await server.delete(`/Communication?${query}`);
    expect([answer.status, answer.json.issue[0].diagnostics]).toEqual([400, text]);
    expect((await server.delete(`${criteria('kept')}&${query === '' ? '_sort=_id' : query}`)).status).toBe(400);
    expect(await total('kept')).toBe(1);
  });

  it('of a type that declares `single` deletes one, and of several none', async () => {
    const appointment = (id: string, status: string) => ({
      resourceType: 'Appointment',
      id,
      status,
      participant: [{ actor: { reference: 'Patient/p1' }, status: 'accepted' }],
    });
    const headers = { 'Content-Type': 'application/fhir+json', ...server.authorized('system/*.cruds') };
    const post = (status: string) =>
      server.ask('POST', '/Appointment', { headers, body: JSON.stringify(appointment('x', status)) });
    for (const status of ['proposed', 'proposed', 'waitlist']) expect((await post(status)).status).toBe(201);
    expect((await server.delete('/Appointment?status=proposed')).status).toBe(412);
    expect((await server.delete('/Appointment?status=waitlist')).status).toBe(204);
    const left = await server.get('/Appointment?_summary=count&status=proposed,waitlist');
    expect(left.json.total).toBe(2);
  });

  it('deletes nothing if other records refer to one of those that match', async () => {
    const parts = (id: string, value: string, of: readonly string[]) =>
      server.put(`/Communication/${id}`, {
        ...called(value, of.length === 0 ? {} : { partOf: of.map(one => ({ reference: `Communication/${one}` })) }),
        id,
      });
    await parts('r1', 'ref', []);
    await parts('r2', 'ref', ['r1']);
    await parts('outside', 'outside', ['r2']);
    const refused = await remove('ref');
    expect([refused.status, refused.json.issue[1].diagnostics]).toEqual([409, '`Communication/outside` refers to it.']);
    expect(await total('ref')).toBe(2);
    await server.delete('/Communication/outside');
    expect((await remove('ref')).status).toBe(204);
    expect(await total('ref')).toBe(0);
  });

  it('of records that refer to each other is repeated for those that change meanwhile', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ids = Array.from({ length: 12 }, (_, at) => `ring-${round}-${at}`);
      for (const [at, id] of ids.entries()) {
        const partOf = ids.slice(0, at).map(one => ({ reference: `Communication/${one}` }));
        await server.put(`/Communication/${id}`, { ...called('ring', at === 0 ? {} : { partOf }), id });
      }
      const note = [{ op: 'add', path: '/note', value: [{ text: 'changed' }] }];
      const changes = ids.map(id => server.patch(`/Communication/${id}`, note));
      const [removed, ...changed] = await Promise.all([remove('ring'), ...changes]);
      expect([removed.status, removed.text]).toEqual([204, '']);
      expect(changed.filter(({ status }) => ![200, 410].includes(status))).toEqual([]);
      expect(await total('ring')).toBe(0);
    }
  });

  it('deletes all of them or none, also if one changes or is referred to meanwhile', async () => {
    const outcomes = new Set<string>();
    await remove('all'); // what a test before left
    for (let round = 0; round < 10; round += 1) {
      const ids = Array.from({ length: 12 }, (_, at) => `all-${round}-${at}`);
      for (const [at, id] of ids.entries()) {
        const partOf = ids.slice(0, at).map(one => ({ reference: `Communication/${one}` }));
        await server.put(`/Communication/${id}`, { ...called('all', at === 0 ? {} : { partOf }), id });
      }
      const last = `/Communication/${ids.at(-1)}`;
      const leaves = [{ op: 'replace', path: '/identifier/0/value', value: 'another' }];
      const joins = called('joined', { partOf: [{ reference: `Communication/${ids.at(-1)}` }] });
      const [removed, changed] = await Promise.all([
        remove('all'),
        round % 2 === 0 ? server.patch(last, leaves) : server.put(criteria(`joined-${round}`), joins),
      ]);
      outcomes.add(`${removed.status}, ${changed.status}, ${await total('all')} left`);
      await remove('joined');
      await server.delete(last);
      await remove('all');
    }
    const allowed = ['204, 410, 0 left', '409, 200, 11 left', '204, 201, 0 left', '409, 201, 12 left'];
    expect([...outcomes].filter(one => !allowed.includes(one))).toEqual([]);
  });

  it('needs criteria, and deletes nothing that the caller may not delete', async () => {
    for (const path of ['/Communication', '/Communication?_sort=_id', '/Communication?nothing=1'])
      expect([path, (await server.delete(path)).status]).toEqual([path, 400]);
    await put('open');
    const scoped = (scope: string) => server.authorized(scope, { patient: 'p2' });
    expect((await remove('open', scoped('patient/Communication.d'))).status).toBe(403);
    expect((await remove('open', scoped('patient/Communication.ds'))).status).toBe(204);
    expect((await remove('open', scoped('patient/Communication.d system/Communication.s'))).status).toBe(403);
    expect(await total('open')).toBe(1);
  });

  it('is of versions, fifty at once too', async () => {
    await put('version');
    expect((await remove('version', { 'If-Match': 'W/"2"' })).status).toBe(412);
    const answers = await many(() => remove('version'));
    expect(counted(answers)).toEqual({ 204: 50 });
    expect(await total('version')).toBe(0);
  });
});

it('a batch may have conditional entries', async () => {
  const entry = (method: string, resource?: object) => ({
    ...(resource === undefined ? {} : { resource }),
    request: { method, url: criteria('batch').slice(1) },
  });
  const headers = { 'Content-Type': 'application/fhir+json', ...server.authorized('system/*.cruds') };
  const send = async (...entries: object[]) => {
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry: entries });
    const { json } = await server.ask('POST', '', { headers, body });
    return (json.entry as { response: { status: string } }[]).map(({ response }) => response.status);
  };
  expect(await send(entry('PUT', called('batch')), entry('PUT', called('batch', noted('x'))))).toEqual(['201', '200']);
  expect(await send(entry('DELETE'))).toEqual(['204']);
});
