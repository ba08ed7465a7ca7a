// https://hl7.org/fhir/R4/auditevent.html
/* eslint-disable typescript/no-explicit-any -- events are looked into as they come */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { compareWrites } from '../../src/audit/compare-writes.ts';
import type { AuditFilter } from '../../src/store/audit/line.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { list } from '../store/support/list.ts';
import { clinician, testTokens } from '../support/tokens.ts';
import { auditOf } from '../support/audit-of.ts';

const tokens = testTokens();
const system = tokens.bearer({ scope: 'system/*.rs', client: 'backend' });
const user = tokens.bearer({ scope: 'user/*.cruds', client: 'chart', ...clinician });
const patient = tokens.bearer({
  scope: 'patient/*.rs',
  client: 'phone',
  patient: 'p1',
  subject: 'ann',
  fhirUser: 'Patient/p1',
});

let server: Served;
beforeAll(async () => {
  server = await serve(
    [
      {
        resourceType: 'Patient',
        id: 'p1',
        name: [{ family: 'Tremblay' }],
        link: [{ other: { reference: 'Patient/p3' }, type: 'seealso' }],
      },
      { resourceType: 'Patient', id: 'p2', name: [{ family: 'Tremblay' }] },
      {
        resourceType: 'Condition',
        id: 'c1',
        subject: { reference: 'Patient/p1' },
        asserter: { reference: 'Patient/p3' },
      },
      { resourceType: 'Condition', id: 'c2', subject: { reference: 'Patient/p2' } },
      {
        resourceType: 'Appointment',
        id: 'a1',
        status: 'booked',
        participant: [
          { actor: { reference: 'Patient/p1' }, status: 'accepted' },
          { actor: { reference: 'Patient/p2' }, status: 'accepted' },
          { actor: { reference: 'Practitioner/dr' }, status: 'accepted' },
        ],
      },
    ],
    [],
    undefined,
    { verify: tokens.verify },
  );
});
afterAll(() => server.close());

/** Tries until what is expected has come; they are kept some time after the answer. */
const inTime = <Result>(look: () => Promise<Result>): Promise<Result> => vi.waitFor(look, { timeout: 20_000 });

/** The events of a request, once so many are kept. */
const eventsOf = (requestId: string, count = 1): Promise<any[]> =>
  inTime(async () => {
    const found: unknown[] = [];
    for await (const { text } of readEvents(auditOf(server.running.engine.store)))
      if (text.includes(`"value":"${requestId}"`)) found.push(JSON.parse(text));
    if (found.length < count) throw new Error(`Of ${requestId} there are ${found.length} events`);
    return found;
  });

/** The events since then of counted refusals, once they have so many for each status. */
const refusals = (since: number, expected: Readonly<Record<number, number>>): Promise<any[]> =>
  inTime(async () => {
    const found = (await list(readEvents(auditOf(server.running.engine.store), { since }))).map(({ text }) =>
      JSON.parse(text),
    );
    const counted = (status: string): number =>
      found
        .filter(({ outcomeDesc }) => outcomeDesc === `HTTP status ${status}`)
        .reduce((sum, { entity }) => sum + Number(entity[0].detail?.[0].valueString ?? 1), 0);
    for (const [status, count] of Object.entries(expected)) expect([status, counted(status)]).toEqual([status, count]);
    return found;
  });

let asked = 0;
/** Asks, and gives the answer with the events that it left. */
async function ask(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<{ answer: Answer; events: any[] }> {
  const requestId = `request-${(asked += 1)}`;
  const answer = await server.ask(method, path, {
    headers: { ...headers, 'X-Request-Id': requestId },
    ...(body === undefined ? {} : { body }),
  });
  return { answer, events: await eventsOf(requestId) };
}

const references = (event: any, role: string | undefined): string[] =>
  event.entity
    .filter((entity: any) => entity.role?.code === role && entity.what?.reference !== undefined)
    .map((entity: any) => entity.what.reference);
const patientsOf = (event: any): string[] => references(event, '1').toSorted();
const queryOf = (event: any): string | undefined =>
  event.entity
    .filter(({ query }: any) => query !== undefined)
    .map(({ query }: any) => Buffer.from(query, 'base64').toString())[0];
const json = { 'Content-Type': 'application/fhir+json' };
const media = (subject: string, more: object = {}): string =>
  JSON.stringify({
    resourceType: 'Media',
    status: 'completed',
    subject: { reference: subject },
    content: { contentType: 'image/gif', data: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
    ...more,
  });

describe('the event of a request', () => {
  it('has reader, records, patients and time', async () => {
    const before = Date.now();
    const { answer, events } = await ask('GET', '/Condition/c1', system);
    expect([answer.status, events.length]).toEqual([200, 1]);
    const [event] = events;
    expect(event).toEqual({
      resourceType: 'AuditEvent',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
      subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'read' }],
      action: 'R',
      recorded: expect.any(String) as string,
      outcome: '0',
      agent: [
        {
          type: { coding: [{ system: 'http://dicom.nema.org/resources/ontology/DCM', code: '110153' }] },
          who: { identifier: { system: 'https://issuer.example', value: 'backend' } },
          requestor: true,
          network: { address: '127.0.0.1', type: '2' },
        },
      ],
      source: {
        observer: { display: server.base },
      },
      entity: [
        {
          what: { reference: 'Patient/p1' },
          role: { system: 'http://terminology.hl7.org/CodeSystem/object-role', code: '1' },
        },
        { what: { reference: 'Condition/c1/_history/1' } },
        {
          what: { identifier: { value: 'request-1' } },
          type: { system: 'https://profiles.ihe.net/ITI/BALP/CodeSystem/BasicAuditEntityType', code: 'XrequestId' },
        },
      ],
    });
    expect(Date.parse(event.recorded)).toBeGreaterThanOrEqual(before);
  });

  it('names the user beside the client', async () => {
    const { events } = await ask('GET', '/Patient/p1', user);
    expect(events[0].agent.map(({ who, requestor }: any) => [who, requestor])).toEqual([
      [{ identifier: { system: 'https://issuer.example', value: 'chart' } }, false],
      [{ reference: 'Practitioner/dr', identifier: { system: 'https://issuer.example', value: 'dr' } }, true],
    ]);
  });

  it.each<[string, string, number, string, string | undefined, string[], string[]]>([
    [
      'a search',
      'GET /Patient?family=tremblay&_sort=_id',
      200,
      'search-type',
      'Patient?family=tremblay&_sort=_id',
      ['p1', 'p2'],
      ['Patient/p1', 'Patient/p2'],
    ],
    [
      'a search by POST',
      'POST /Condition/_search?_count=5',
      200,
      'search-type',
      'Condition/_search?_count=5&patient=p2',
      ['p2'],
      ['Condition/c2'],
    ],
    ['several patients of one record', 'GET /Appointment/a1', 200, 'read', undefined, ['p1', 'p2'], ['Appointment/a1']],
    ['nothing found', 'GET /Condition?patient=nobody', 200, 'search-type', 'Condition?patient=nobody', [], []],
    ['what is not there', 'GET /Condition/none', 404, 'read', undefined, [], []],
    ['what is not understood', 'GET /Condition?colour=red', 400, 'search-type', 'Condition?colour=red', [], []],
    ['what is not offered', 'DELETE /Condition/c1', 405, '', undefined, [], []],
    ['a type that is not offered', 'GET /Basic/x', 404, '', undefined, [], []],
  ])('is there for %s', async (_, request, status, code, query, patients, records) => {
    const [method = '', path = ''] = request.split(' ');
    const isForm = method === 'POST';
    const headers = isForm ? { ...system, 'Content-Type': 'application/x-www-form-urlencoded' } : system;
    const { answer, events } = await ask(method, path, headers, isForm ? 'patient=p2' : undefined);
    expect([answer.status, events.length]).toEqual([status, 1]);
    const [event] = events;
    expect(event.subtype?.[0].code ?? '').toBe(code);
    expect(event.outcome).toBe(status < 400 ? '0' : '4');
    expect(event.outcomeDesc).toBe(status < 400 ? undefined : `HTTP status ${status}`);
    expect(queryOf(event)).toBe(query);
    expect(patientsOf(event)).toEqual(patients.map(id => `Patient/${id}`));
    expect(references(event, undefined)).toEqual(records.map(record => `${record}/_history/1`));
  });

  it('names what was asked for and refused, and the patient whose record the client has open', async () => {
    for (const [path, status] of [
      ['/Condition/c2', 404],
      ['/Practitioner/x', 403],
    ] as const) {
      // prettier-ignore
      const { answer, events } = await ask('GET', path, patient);
      expect([answer.status, events[0].outcome, patientsOf(events[0])]).toEqual([status, '4', ['Patient/p1']]);
    }
    const { events } = await ask('GET', '/Condition/c2', patient);
    expect(references(events[0], '4')).toEqual(['Condition/c2']);
  });

  it('names the records of an answer 304', async () => {
    const { answer, events } = await ask('GET', '/Condition/c1', { ...system, 'If-None-Match': 'W/"1"' });
    expect([answer.status, events[0].outcome, patientsOf(events[0])]).toEqual([304, '0', ['Patient/p1']]);
  });

  it('never holds a token, wherever it came', async () => {
    const since = Date.now();
    for (const path of ['/Condition?access_token=s3cret', '/Condition?access%5Ftoken=s3cret&patient=p1'])
      expect((await server.get(path, system)).status).toBe(400);
    await refusals(since, { 400: 2 });
    for await (const { text } of readEvents(auditOf(server.running.engine.store))) {
      expect(text).not.toContain('test.');
      for (const [, query = ''] of text.matchAll(/"query":"([^"]*)"/g))
        expect(Buffer.from(query, 'base64').toString()).not.toContain('s3cret');
    }
  });
});

describe('the events of a create', () => {
  it('are two: one before, which names the record, and one after', async () => {
    const { answer, events } = await ask('POST', '/Media', { ...user, ...json }, media('Patient/p1'));
    expect(answer.status).toBe(201);
    const [begun, ended] = await eventsOf(`request-${asked}`, 2);
    expect(events[0]).toEqual(begun);
    const target = `Media/${answer.json.id}`;
    expect([begun.action, begun.outcome, references(begun, '4'), patientsOf(begun)]).toEqual([
      'C',
      undefined,
      [target],
      ['Patient/p1'],
    ]);
    expect([ended.action, ended.outcome, references(ended, undefined), patientsOf(ended)]).toEqual([
      'C',
      '0',
      [`${target}/_history/1`],
      ['Patient/p1'],
    ]);
  });

  it('belong together, also where a client gives many requests one id', async () => {
    const { store } = server.running.engine;
    const headers = { ...user, ...json, 'X-Request-Id': 'same' };
    const answers = await Promise.all(
      [1, 2, 3].map(() => server.ask('POST', '/Media', { headers, body: media('Patient/p1') })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    await eventsOf('same', 6);
    expect(await compareWrites(auditOf(store), store, { partition: 'demo' })).toEqual({
      lost: [],
      more: new Map(),
      unfinished: [],
    });
  });

  it('is one where nothing is written', async () => {
    const wrong = await ask('POST', '/Media', { ...user, ...json }, media('Patient/nobody'));
    expect([wrong.answer.status, wrong.events.map(({ outcome }) => outcome)]).toEqual([422, ['4']]);
    const headers = { ...user, ...json, 'Idempotency-Key': 'once' };
    const first = await ask('POST', '/Media', headers, media('Patient/p2'));
    expect(first.answer.status).toBe(201);
    expect(JSON.stringify(first.events[0])).toMatch(/"system":"[^"]*idempotency-key","value":"[0-9a-f]{64}"/);
    const again = await ask('POST', '/Media', headers, media('Patient/p2'));
    expect([again.answer.json.id, again.events.length]).toEqual([first.answer.json.id, 1]);
    expect(patientsOf(again.events[0])).toEqual(['Patient/p2']);
  });
});

describe('refusals of unknown clients', () => {
  it('that are alike are counted', async () => {
    const since = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => server.get('/Condition/c1', { Authorization: 'Bearer crs_x' })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    await server.get('/Condition/c1');
    await server.get('//r4/elsewhere/Condition/c1');
    await server.get('//r4/demo/%zz');
    const found = await refusals(since, { 401: 201, 404: 1, 400: 1 });
    expect(found.length).toBeLessThan(50);
    expect(found[0]).toMatchObject({ agent: [{ who: { display: 'unknown' }, network: { address: '127.0.0.1' } }] });
    expect(found[0].period).toBeDefined();
  });
});

it('public documents are not audited', async () => {
  const before = (await list(readEvents(auditOf(server.running.engine.store)))).length;
  for (const path of ['/metadata', '/.well-known/smart-configuration', '//healthz', '//readyz', '//elsewhere'])
    await server.get(path);
  await server.get('/Condition/c1'); // without a token: what is kept last
  const kept = () => list(readEvents(auditOf(server.running.engine.store)));
  await inTime(async () => expect((await kept()).length).toBeGreaterThan(before));
  expect(await kept()).toHaveLength(before + 1);
});

it('all of them are AuditEvents as R4 has them', async () => {
  const { validator, store } = server.running.engine;
  const loaded = await validator();
  const wrongs = (event: object): unknown[] =>
    loaded.validate(event, { type: 'AuditEvent' }).filter(({ severity }) => severity === 'error');
  let count = 0;
  for await (const { text } of readEvents(auditOf(store))) {
    expect(wrongs(JSON.parse(text) as object)).toEqual([]);
    count += 1;
  }
  expect(count).toBeGreaterThan(20);
  expect(wrongs({ resourceType: 'AuditEvent', action: 'X' }).length).toBeGreaterThan(3);
});

it('they are asked for by partition, client and patient', async () => {
  const audit = auditOf(server.running.engine.store);
  const of = async (filter: AuditFilter): Promise<number> => (await list(readEvents(audit, filter))).length;
  expect(await of({ partition: 'demo', client: 'phone' })).toBe(3);
  expect(await of({ patient: 'p2' })).toBeGreaterThan(3);
  expect(await of({ patient: 'p3' })).toBe(0);
  expect(await of({ partition: 'elsewhere' })).toBe(0);
});
