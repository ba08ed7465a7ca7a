// https://hl7.org/fhir/R4/http.html#update
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readClientRecord, recheckClientRecord } from '../../src/interaction/write/client-record.ts';
import { hasText } from '../../src/store/port/records.ts';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import type { Answer } from '../support/serve.ts';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
beforeAll(async () => {
  server = await serveVersioned();
});
afterAll(() => server.close());

const versionsOf = async (path: string): Promise<number> => (await server.get(`${path}/_history`)).json.entry.length;
const stateOf = ({ status, headers }: Answer): readonly unknown[] => [status, headers.etag];

describe('an update', () => {
  it('makes the next version, which replaces the one before in reads and searches', async () => {
    const created = await server.put('/Communication/a', communication('a', { ...noted('one'), status: 'stopped' }));
    expect(stateOf(created)).toEqual([201, 'W/"1"']);
    expect(created.headers.location).toBe(`${server.base}/Communication/a/_history/1`);
    const updated = await server.put('/Communication/a', communication('a', noted('two')));
    expect(stateOf(updated)).toEqual([200, 'W/"2"']);
    expect(updated.headers.location).toBe(`${server.base}/Communication/a/_history/2`);
    expect(updated.json).toMatchObject({ id: 'a', note: [{ text: 'two' }], meta: { versionId: '2' } });
    expect(Date.parse(updated.headers['last-modified'] ?? '')).toBe(
      Math.floor(Date.parse(updated.json.meta.lastUpdated) / 1_000) * 1_000,
    );
    expect((await server.get('/Communication/a')).text).toBe(updated.text);
    expect((await server.get('/Communication/a/_history/1')).text).toBe(created.text);
    const found = async (status: string): Promise<number> =>
      (await server.get(`/Communication?_id=a&status=${status}&_summary=count`)).json.total;
    expect([await found('stopped'), await found('completed')]).toEqual([0, 1]);
  });

  it('keeps what the server has set, and makes no version where nothing changed', async () => {
    const first = await server.put('/Communication/same', communication('same'));
    expect(first.json.sent).toMatch(/^\d{4}-/);
    server.clock.now += 3_600_000;
    const again = await server.put('/Communication/same', communication('same'));
    expect([stateOf(again), again.text]).toEqual([[200, 'W/"1"'], first.text]);
    const outcome = { Prefer: 'return=OperationOutcome' };
    const said = await server.put('/Communication/same', first.text, outcome);
    expect(said.json.issue[0].diagnostics).toBe(
      '`Communication/same` has this content already, so no version was made.',
    );
    expect(await versionsOf('/Communication/same')).toBe(1);
  });

  it('answers in the form that the client prefers', async () => {
    const put = (note: string, prefer: string) =>
      server.put('/Communication/form', communication('form', noted(note)), { Prefer: `return=${prefer}` });
    expect((await put('one', 'minimal')).text).toBe('');
    expect((await put('two', 'representation')).json.note[0].text).toBe('two');
    expect((await put('three', 'OperationOutcome')).json.issue[0].diagnostics).toBe(
      '`Communication/form` was updated.',
    );
  });

  it.each<[title: string, id: string, body: object | string, status: number, issues: readonly string[]]>([
    ['another id', 'b', communication('c'), 400, ['value Communication.id']],
    ['no id', 'b', communication(undefined), 400, ['value Communication.id']],
    ['an invalid id', 'b_c', communication('b_c'), 400, ['value']],
    ['another type', 'b', patient('b'), 400, ['structure resourceType']],
    ['text that is not JSON', 'b', '{"resourceType"', 400, ['structure Communication.resourceType']],
    ['an unknown element', 'b', communication('b', { nothing: 1 }), 400, ['structure Communication.nothing']],
    ['a broken rule', 'b', communication('b', { status: 'none' }), 422, ['code-invalid Communication.status']],
  ])('is validated as a create: %s', async (_, id, body, status, issues) => {
    const answer = await server.put(`/Communication/${id}`, body);
    expect(answer.status).toBe(status);
    expect(issuesOf(answer)).toEqual(expect.arrayContaining([...issues]));
    expect((await server.get(`/Communication/${id}`)).status).toBe(404);
  });

  it('needs FHIR JSON, and takes no parameters', async () => {
    const body = communication('plain');
    expect((await server.put('/Communication/plain', body, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await server.put('/Communication/plain?_format=json', body)).status).toBe(201);
    expect((await server.put('/Communication/plain?status=completed', body)).status).toBe(400);
  });

  it('of a type that creates none is 405 where there is no record, with what is allowed', async () => {
    const answer = await server.put('/Patient/none', patient('none'));
    expect([answer.status, answer.headers.allow]).toEqual([405, 'PUT, GET, HEAD, DELETE']);
    expect(answer.json.issue[0].diagnostics).toBe('No Patient has the id `none`, and an update creates none.');
    const there = await server.put('/Patient/p2', patient('p2', { gender: 'male' }));
    expect(stateOf(there)).toEqual([200, 'W/"2"']);
  });

  it('brings a deleted record back', async () => {
    await server.put('/Communication/back', communication('back'));
    await server.delete('/Communication/back');
    expect(stateOf(await server.put('/Communication/back', communication('back')))).toEqual([201, 'W/"3"']);
  });

  it('is declared: other types answer 405', async () => {
    const { status, headers } = await server.put('/Observation/o', { resourceType: 'Observation', id: 'o' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    const { json } = await server.get('/metadata');
    const resources = json.rest[0].resource as { type: string; updateCreate?: boolean }[];
    const declared = resources.map(({ type, updateCreate }) => `${type} ${updateCreate}`);
    expect(declared).toEqual(expect.arrayContaining(['Communication true', 'Patient false', 'Observation undefined']));
  });
});

// https://www.rfc-editor.org/rfc/rfc9110#section-13.1.4
describe('If-Unmodified-Since', () => {
  it('refuses the write of a record that has changed since, unless there is an If-Match', async () => {
    await server.put('/Communication/u', communication('u'));
    server.clock.now += 5_000;
    await server.put('/Communication/u', communication('u', noted('second')));
    const last = String((await server.get('/Communication/u')).headers['last-modified']);
    const since = (date: string, more = {}) => ({ 'If-Unmodified-Since': date, ...more });
    const past = new Date(Date.parse(last) - 1_000).toUTCString();
    const write = (headers: Record<string, string>) =>
      server.put('/Communication/u', communication('u', noted('third')), headers);
    const refused = await write(since(past));
    expect([refused.status, issuesOf(refused)]).toEqual([412, ['conflict http."If-Unmodified-Since"']]);
    const patched = await server.patch('/Communication/u', [], {
      ...since(past),
      'Content-Type': 'application/json-patch+json',
    });
    expect([patched.status, (await server.delete('/Communication/u', since(past))).status]).toEqual([412, 412]);
    expect((await write(since(past, { 'If-Match': 'W/"2"' }))).status).toBe(200);
    expect((await write(since('yesterday'))).status).toBe(200);
    expect((await server.put('/Communication/none', communication('none'), since(past))).status).toBe(201);
    expect((await server.delete('/Communication/u', since(new Date(server.clock.now).toUTCString()))).status).toBe(204);
  });
});

// https://hl7.org/fhir/R4/http.html#concurrency
describe('If-Match', () => {
  const put = (note: string, match: string) =>
    server.put('/Communication/m', communication('m', noted(note)), { 'If-Match': match });

  it('updates the version that it names, and no other', async () => {
    expect((await put('one', 'W/"1"')).status).toBe(412);
    await server.put('/Communication/m', communication('m', noted('one')));
    expect(stateOf(await put('two', 'W/"1"'))).toEqual([200, 'W/"2"']);
    const late = await put('three', 'W/"1"');
    expect([late.status, issuesOf(late)]).toEqual([412, ['conflict http."If-Match"']]);
    expect(late.json.issue[0].diagnostics).toBe(
      'Communication/m is at version W/"2", which `If-Match` does not name: read it again.',
    );
    expect(stateOf(await put('three', 'W/"1", W/"2"'))).toEqual([200, 'W/"3"']);
    expect(stateOf(await put('four', '*'))).toEqual([200, 'W/"4"']);
    expect((await put('five', '4')).status).toBe(400);
    expect((await server.get('/Communication/m')).json.note[0].text).toBe('four');
  });

  it('is required for a type with version-aware updates, once there is a record', async () => {
    const group = (quantity: number) => ({ resourceType: 'Group', id: 'g', type: 'person', actual: true, quantity });
    expect((await server.put('/Group/g', group(1))).status).toBe(201);
    const without = await server.put('/Group/g', group(2));
    expect([without.status, issuesOf(without)]).toEqual([400, ['required http."If-Match"']]);
    expect((await server.delete('/Group/g')).status).toBe(400);
    expect(stateOf(await server.put('/Group/g', group(2), { 'If-Match': 'W/"1"' }))).toEqual([200, 'W/"2"']);
    expect((await server.delete('/Group/g', { 'If-Match': 'W/"2"' })).status).toBe(204);
  });
});

// https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
describe('If-None-Match', () => {
  const put = (note: string, match: string) =>
    server.put('/Communication/n', communication('n', noted(note)), { 'If-None-Match': match });

  it('creates a record, and replaces none', async () => {
    expect(stateOf(await put('one', '*'))).toEqual([201, 'W/"1"']);
    const late = await put('two', '*');
    expect([late.status, issuesOf(late)]).toEqual([412, ['conflict http."If-None-Match"']]);
    expect((await put('two', 'W/"1"')).status).toBe(412);
    expect(stateOf(await put('two', 'W/"7"'))).toEqual([200, 'W/"2"']);
    expect((await put('three', 'two')).status).toBe(400);
    expect((await server.delete('/Communication/n', { 'If-None-Match': '*' })).status).toBe(412);
    expect((await server.get('/Communication/n')).json.note[0].text).toBe('two');
    await server.delete('/Communication/n');
    expect(stateOf(await put('again', '*'))).toEqual([201, 'W/"4"']);
  });

  it('fifty at once make one record', async () => {
    const all = Array.from({ length: 50 }, (_, at) =>
      server.put('/Communication/first', communication('first', noted(`${at}`)), { 'If-None-Match': '*' }),
    );
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array<number>(49).fill(412)]);
  });
});

describe('fifty updates at once', () => {
  const many = <T>(work: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 50 }, (_, at) => work(at)));
  const counted = (answers: readonly Answer[]) =>
    Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, of]) => [status, of.length]));

  it('with the same new content make one version', async () => {
    const answers = await many(() => server.put('/Communication/race', communication('race', noted('same'))));
    expect(counted(answers)).toEqual({ 200: 49, 201: 1 });
    expect(await versionsOf('/Communication/race')).toBe(1);
  });

  it('of one version are one', async () => {
    const answers = await many(at =>
      server.put('/Communication/race', communication('race', noted(`match ${at}`)), { 'If-Match': 'W/"1"' }),
    );
    expect(counted(answers)).toEqual({ 200: 1, 412: 49 });
    expect(await versionsOf('/Communication/race')).toBe(2);
  });

  it('with different contents make a version each', async () => {
    const answers = await many(at => server.put('/Communication/all', communication('all', noted(`${at}`))));
    expect(counted(answers)).toEqual({ 200: 49, 201: 1 });
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(50);
    expect(await versionsOf('/Communication/all')).toBe(50);
  }, 60_000);
});

// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
describe('an update by a caller with less than all scopes', () => {
  const scoped = (scope: string, of?: string) =>
    server.authorized(scope, of === undefined ? {} : { patient: of, fhirUser: 'Practitioner/x' });
  const mine = (id: string, fields = {}) => server.put(`/Communication/${id}`, communication(id, fields));

  it.each([
    ['system/Communication.u', 200],
    ['system/Communication.crds', 403],
    ['system/Communication.u?status=completed', 200],
    ['system/Communication.u?status=stopped', 405],
  ])('%s is answered %i', async (scope, status) => {
    await mine('scoped', noted(scope));
    const answer = await server.put('/Communication/scoped', communication('scoped'), scoped(scope));
    // The type creates records: it must not replace one that the scopes do not cover.
    expect(answer.status).toBe(status === 405 ? 403 : status);
  });

  it('may not change a record into one that its scopes do not cover', async () => {
    await mine('kept');
    const headers = scoped('system/Communication.u?status=completed');
    const answer = await server.put('/Communication/kept', communication('kept', { status: 'stopped' }), headers);
    expect(answer.status).toBe(403);
    expect((await server.get('/Communication/kept')).json.status).toBe('completed');
  });

  it('with a patient in context updates the records of the patient', async () => {
    await mine('of-p1');
    const headers = scoped('patient/Communication.cruds', 'p1');
    expect((await server.put('/Communication/of-p1', communication('of-p1', noted('x')), headers)).status).toBe(200);
    expect((await server.put('/Communication/new-p1', communication('new-p1'), headers)).status).toBe(201);
  });

  it('with a patient in context moves no record out of the compartment, or into another one', async () => {
    await mine('here');
    const ofOther = { subject: { reference: 'Patient/p2' } };
    await mine('there', ofOther);
    const headers = scoped('patient/Communication.cruds', 'p1');
    const out = await server.put('/Communication/here', communication('here', ofOther), headers);
    expect(out.status).toBe(403);
    const taken = await server.put('/Communication/there', communication('there'), headers);
    expect(taken.status).toBe(403);
    const made = await server.put('/Communication/made', communication('made', ofOther), headers);
    expect(made.status).toBe(403);
    expect((await post(server, 'Communication', communication(undefined, ofOther), headers)).status).toBe(403);
    expect((await server.get('/Communication/there')).json.subject.reference).toBe('Patient/p2');
  });

  it('with a patient in context neither adds nor removes another patient', async () => {
    const appointment = (...patients: string[]) => ({
      resourceType: 'Appointment',
      id: 'both',
      status: 'proposed',
      participant: patients.map(id => ({ actor: { reference: `Patient/${id}` }, status: 'accepted' })),
    });
    const { json } = await post(
      server,
      'Appointment',
      { ...appointment('p1', 'p2'), id: undefined },
      server.authorized(everything),
    );
    const put = (scope: string, ...patients: string[]) =>
      server.put(
        `/Appointment/${json.id}`,
        { ...appointment(...patients), id: json.id, minutesDuration: patients.length },
        scoped(scope, 'p1'),
      );
    expect((await put('patient/Appointment.u', 'p1')).status).toBe(403);
    expect((await put('patient/Appointment.u', 'p2')).status).toBe(403);
    expect((await put('patient/Appointment.u', 'p2', 'p1')).status).toBe(200);
    expect((await server.delete(`/Appointment/${json.id}`, scoped('patient/Appointment.d', 'p1'))).status).toBe(403);
    expect((await put('user/Appointment.u', 'p1')).status).toBe(200);
    expect((await put('patient/Appointment.u', 'p1', 'p2')).status).toBe(403);
    expect((await server.delete(`/Appointment/${json.id}`, scoped('patient/Appointment.d', 'p1'))).status).toBe(204);
    const alone = await post(server, 'Appointment', appointment('p1', 'p2'), scoped('patient/Appointment.c', 'p1'));
    expect(alone.status).toBe(403);
  });

  it('refers to records within the context of its scope only', async () => {
    await mine('refers', { subject: undefined });
    const headers = scoped('patient/Communication.cruds', 'p1');
    await mine('own');
    const partOf = { partOf: [{ reference: 'Communication/refers' }] };
    const answer = await server.put('/Communication/own', communication('own', partOf), headers);
    expect([answer.status, issuesOf(answer)]).toEqual([422, ['not-found Communication.partOf[0].reference']]);
  });

  it('with a patient in context updates the patient, and no other', async () => {
    const headers = scoped('patient/Patient.ru', 'p1');
    expect((await server.put('/Patient/p1', patient('p1', { gender: 'other' }), headers)).status).toBe(200);
    const other = await server.put('/Patient/p2', patient('p2', { gender: 'other' }), headers);
    const none = await server.put('/Patient/none', patient('none'), headers);
    expect([other.status, other.text.replaceAll('p2', 'none')]).toEqual([405, none.text]);
  });

  it('a deleted record is for those alone who may write its last content', async () => {
    await mine('gone-p2', { subject: { reference: 'Patient/p2' } });
    await mine('gone-p1');
    for (const id of ['gone-p1', 'gone-p2']) expect((await server.delete(`/Communication/${id}`)).status).toBe(204);
    const headers = scoped('patient/Communication.cruds', 'p1');
    expect((await server.put('/Communication/gone-p1', communication('gone-p1'), headers)).status).toBe(201);
    expect((await server.put('/Communication/gone-p2', communication('gone-p2'), headers)).status).toBe(403);
  });
});

describe('attachments', () => {
  const content = (fields: object) => media({}, { data: undefined, ...fields });

  it('stay if none are sent, are replaced by those that are, and belong to their versions', async () => {
    const { json } = await post(
      server,
      'Media',
      media(),
      server.authorized('user/Media.c', { fhirUser: 'Practitioner/x' }),
    );
    const path = `/Media/${json.id}`;
    const put = (body: object) => server.put(path, { ...body, id: json.id });
    const bytes = async () => (await keptBytes(server, 'Media')).get(json.id);
    expect(stateOf(await put(content({ title: 'New title' })))).toEqual([200, 'W/"2"']);
    expect(await bytes()).toEqual([png()]);
    const other = png(200);
    expect(stateOf(await put(media({}, { data: other.toString('base64') })))).toEqual([200, 'W/"3"']);
    expect(await bytes()).toEqual([other]);
    const changed = await put(content({ contentType: 'image/jpeg' }));
    expect([changed.status, issuesOf(changed)]).toEqual([422, ['business-rule Media.content.contentType']]);
    const hashed = await put(content({ hash: createHash('sha1').update(other).digest('base64') }));
    expect([hashed.status, issuesOf(hashed)]).toEqual([422, ['business-rule Media.content.hash']]);
    expect(hashed.json.issue[0].diagnostics).toContain('The stored version has no `hash`');
    expect((await server.get(path)).json.content.data).toBeUndefined();
    const versions: string[] = [];
    for await (const { version, attachments } of server.partition.export({
      order: 'oldest',
      of: [{ type: 'Media', ids: [json.id] }],
      slice: 10,
    }))
      versions.push(`${version}: ${attachments.map(({ size }) => size).join()}`);
    expect(versions).toEqual(['1: 100', '2: 100', '3: 200']);
  });

  it('are required if the version that has them is deleted while an update is checked', async () => {
    const { engine } = server.running;
    const type = engine.model.types.get('Media');
    const scope = server.authorized('user/Media.c', { fhirUser: 'Practitioner/x' });
    const { json, text } = await post(server, 'Media', media(), scope);
    const former = await server.partition.read('Media', json.id);
    if (type === undefined || former === undefined || !hasText(former)) throw new Error('no Media');
    const body = Buffer.from(text);
    const place = { base: server.base, access: 'open', partition: server.partition, letter: 'u', id: json.id } as const;
    const checked = { ...place, bodyId: 'required', former } as const;
    const record = await readClientRecord(engine, type, body, checked);
    const again = recheckClientRecord(engine, type, { body, record }, { ...checked, former: undefined });
    await expect(again).rejects.toMatchObject({ issues: [{ expression: 'Media.content.data', code: 'required' }] });
  });
});

it('an update in a batch is as one by itself', async () => {
  const entry = (note: string, more = {}) => ({
    resource: communication('batched', noted(note)),
    request: { method: 'PUT', url: 'Communication/batched', ...more },
  });
  const body = JSON.stringify({
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      { request: { method: 'GET', url: 'Communication/batched' } },
      entry('one'),
      entry('two', { ifMatch: 'W/"1"' }),
      entry('three', { ifMatch: 'W/"1"' }),
      entry('four', { ifNoneMatch: '*' }),
    ],
  });
  const headers = { ...server.authorized(everything), 'Content-Type': 'application/fhir+json' };
  const { json } = await server.ask('POST', '', { headers, body });
  const answers = json.entry as { response: { status: string; etag?: string } }[];
  expect(answers.map(({ response: { status, etag } }) => `${status} ${etag}`)).toEqual([
    '200 W/"2"',
    '201 W/"1"',
    '200 W/"2"',
    '412 undefined',
    '412 undefined',
  ]);
});
