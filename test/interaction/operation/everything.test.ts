// https://hl7.org/fhir/R4/patient-operation-everything.html,
// https://hl7.org/fhir/R4/encounter-operation-everything.html
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsOf } from './support.ts';
import { observation, patient } from '../../support/resources.ts';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';

const flags = ['--definitions', join(import.meta.dirname, '../../fixtures/operations')];
const on = (id: string) => ({ reference: `Patient/${id}` });
const condition = (id: string, fields: object = {}) => ({
  resourceType: 'Condition',
  id,
  code: { text: 'Asthma' },
  subject: on('p1'),
  ...fields,
});
const encounter = (id: string, fields: object = {}) => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
  subject: on('p1'),
  ...fields,
});
const doctor = (id: string) => ({ resourceType: 'Practitioner', id, name: [{ family: id }] });

const records = [
  patient('p1', { generalPractitioner: [{ reference: 'Practitioner/doc1' }] }),
  patient('p2'),
  doctor('doc1'),
  doctor('doc2'),
  doctor('doc3'),
  { resourceType: 'Organization', id: 'org1', name: 'Clinic' },
  encounter('e1', {
    participant: [{ individual: { reference: 'Practitioner/doc2' } }],
    serviceProvider: { reference: 'Organization/org1' },
    period: { start: '2024-05-01', end: '2024-05-02' },
  }),
  encounter('e2', { subject: on('p2'), participant: [{ individual: { reference: 'Practitioner/doc3' } }] }),
  condition('c1', { encounter: { reference: 'Encounter/e1' }, asserter: { reference: 'Practitioner/doc2' } }),
  // It refers to a record of another patient, which is not part of this one.
  condition('c2', { evidence: [{ detail: [{ reference: 'Observation/of-p2' }] }] }),
  observation('o1', { encounter: { reference: 'Encounter/e1' } }),
  observation('o2', { effectiveDateTime: '2020-01-01' }),
  observation('o3', { effectiveDateTime: undefined }),
  observation('of-p2', { subject: on('p2') }),
];

let server: Served;
beforeAll(async () => {
  server = await serve(records, flags);
  await server.partition.write([{ kind: 'remove', type: 'Patient', id: 'gone' }]);
});
afterAll(() => server.close());

const post = (path: string, body: object): Promise<Answer> =>
  server.ask('POST', path, { headers: { 'Content-Type': 'application/fhir+json' }, body: JSON.stringify(body) });

/** `Type/id` of the matches, then after `+` those of the included records. */
function entriesOf({ json }: Answer): string {
  const entries = (json.entry ?? []) as { fullUrl: string; search: { mode: string } }[];
  const of = (mode: string) =>
    entries.filter(({ search }) => search.mode === mode).map(({ fullUrl }) => fullUrl.split('/').slice(-2).join('/'));
  return [...of('match'), ...(of('include').length > 0 ? ['+', ...of('include')] : [])].join(' ');
}

const all =
  'Patient/p1 Condition/c1 Condition/c2 Encounter/e1 Observation/o1 Observation/o2 Observation/o3 + ' +
  'Practitioner/doc1 Practitioner/doc2 Organization/org1';

describe('on a record', () => {
  it.each<[string, string, string]>([
    ['a patient', '/Patient/p1/$everything', all],
    [
      'one with few records',
      '/Patient/p2/$everything',
      'Patient/p2 Encounter/e2 Observation/of-p2 + Practitioner/doc3',
    ],
    [
      'an encounter, with what it refers to',
      '/Encounter/e1/$everything',
      'Encounter/e1 Condition/c1 Observation/o1 + Patient/p1 Practitioner/doc2 Organization/org1',
    ],
    ['one type', '/Patient/p1/$everything?_type=Observation', 'Observation/o1 Observation/o2 Observation/o3'],
    ['several types', '/Patient/p1/$everything?_type=Patient,Encounter', 'Patient/p1 Encounter/e1'],
    ['several types, repeated', '/Patient/p1/$everything?_type=Patient&_type=Encounter', 'Patient/p1 Encounter/e1'],
    ['a type that is referred to', '/Patient/p1/$everything?_type=Organization', '+ Organization/org1'],
    ['dates of care', '/Patient/p1/$everything?start=2024-01-01&_type=Observation', 'Observation/o1 Observation/o3'],
    ['dates until', '/Patient/p1/$everything?end=2023&_type=Observation', 'Observation/o2 Observation/o3'],
    ['both dates', '/Patient/p1/$everything?start=2024-05&end=2024-05&_type=Encounter', 'Encounter/e1'],
    ['none since', '/Patient/p1/$everything?_since=2999-01-01T00:00:00Z', ''],
    ['all since', '/Patient/p1/$everything?_since=2001-01-01T00:00:00Z', all],
  ])('%s', async (_what, path, expected) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.resourceType, answer.json.type]).toEqual([200, 'Bundle', 'searchset']);
    expect(entriesOf(answer)).toBe(expected);
  });

  it('takes Parameters by POST', async () => {
    const parameter = [
      { name: '_type', valueCode: 'Observation' },
      { name: '_type', valueCode: 'Encounter' },
      { name: 'start', valueDate: '2024' },
    ];
    const answer = await post('/Patient/p1/$everything', { resourceType: 'Parameters', parameter });
    expect(entriesOf(answer)).toBe('Encounter/e1 Observation/o1 Observation/o3');
    expect(entriesOf(await server.ask('POST', '/Patient/p1/$everything'))).toBe(all);
  });

  it('answers HEAD without a body', async () => {
    const { status, text } = await server.ask('HEAD', '/Patient/p1/$everything');
    expect([status, text]).toEqual([200, '']);
  });
});

describe('on a type', () => {
  it('returns all patients with their records, and nothing of others', async () => {
    const found = entriesOf(await server.get('/Patient/$everything'));
    expect(found).toBe(
      'Patient/p1 Patient/p2 Condition/c1 Condition/c2 Encounter/e1 Encounter/e2 Observation/o1 Observation/o2 ' +
        'Observation/o3 Observation/of-p2 + Practitioner/doc1 Practitioner/doc2 Practitioner/doc3 Organization/org1',
    );
  });
});

describe('pages', () => {
  it.each([1, 2, 3, 7])('of %i records have each of them once', async count => {
    const seen: string[] = [];
    let path: string | undefined = `/Patient/p1/$everything?_count=${count}`;
    while (path !== undefined) {
      const { json, status } = await server.get(path);
      expect(status).toBe(200);
      const entries = (json.entry ?? []) as { fullUrl: string; search: { mode: string } }[];
      const matches = entries.filter(({ search }) => search.mode === 'match');
      expect(matches.length).toBeLessThanOrEqual(count);
      seen.push(...matches.map(({ fullUrl }) => fullUrl.split('/').slice(-2).join('/')));
      const next = (json.link as { relation: string; url: string }[]).find(({ relation }) => relation === 'next');
      expect(next?.url ?? '_page_token').not.toContain('_count=');
      path = next?.url.slice(server.base.length);
    }
    expect(seen.join(' ')).toBe(all.split(' +')[0]);
  });

  it('refuse a token of another record', async () => {
    const { json } = await server.get('/Patient/p1/$everything?_count=1');
    const next = (json.link as { relation: string; url: string }[])[1]?.url.replace('/p1/', '/p2/') ?? '';
    expect((await server.get(next.slice(server.base.length))).status).toBe(400);
  });
});

describe('a call that is not valid', () => {
  it.each<[string, string, number, string, string]>([
    ['an unknown parameter', '/Patient/p1/$everything?_typ=Patient', 400, 'not-supported', 'Did you mean `_type`?'],
    ['a parameter of another definition', '/Encounter/e1/$everything?start=2024', 400, 'not-supported', '`start`'],
    ['an unknown type', '/Patient/p1/$everything?_type=Observatoin', 400, 'value', 'Did you mean `Observation`?'],
    ['a wrong date', '/Patient/p1/$everything?start=2024-13', 400, 'value', '`2024-13`'],
    ['a repeated parameter', '/Patient/p1/$everything?start=2024&start=2023', 400, 'value', 'send it once'],
    ['an empty one', '/Patient/p1/$everything?start=', 400, 'value', 'has no value'],
    ['a count of none', '/Patient/p1/$everything?_count=0', 400, 'value', '`_count=0`'],
    ['a negative count', '/Patient/p1/$everything?_count=-1', 400, 'value', '`-1`'],
    ['an unknown patient', '/Patient/none/$everything', 404, 'not-found', '`none`'],
    ['a deleted one', '/Patient/gone/$everything', 404, 'not-found', '`gone`'],
    ['a type without the operation', '/Condition/c1/$everything', 404, 'not-supported', '`$everything`'],
    ['a level without it', '/Encounter/$everything', 404, 'not-supported', '`$everything`'],
  ])('%s', async (_what, path, status, code, text) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.resourceType, answer.json.issue[0].code]).toEqual([
      status,
      'OperationOutcome',
      code,
    ]);
    expect(answer.json.issue[0].diagnostics).toContain(text);
  });

  it.each<[string, object, string]>([
    ['another resource', patient('x'), 'takes Parameters'],
    ['a value of another type', { parameter: [{ name: '_count', valueString: '1' }] }, 'must be of the type integer'],
    ['a structure that is wrong', { parameter: [{ nam: '_count', valueInteger: 1 }] }, '`nam`'],
  ])('%s in the body', async (_what, body, text) => {
    const answer = await post('/Patient/p1/$everything', { resourceType: 'Parameters', ...body });
    expect(answer.status).toBe(400);
    expect(answer.json.issue[0].diagnostics).toContain(text);
  });

  it('is ignored in its unknown parts under lenient handling', async () => {
    const answer = await server.get('/Patient/p1/$everything?nothing=1&start=', { Prefer: 'handling=lenient' });
    expect(entriesOf(answer)).toBe(all);
  });
});

describe('a caller', () => {
  const tokens = testTokens();
  let guarded: Served;
  beforeAll(async () => {
    guarded = await serve(records, flags, undefined, { verify: tokens.verify });
  });
  afterAll(() => guarded.close());
  const inContext = (scope: string) => tokens.bearer({ scope, patient: 'p1' });

  it.each<[string, string, string, number, string]>([
    ['of an app sees the own record', 'patient/Patient.r', '/Patient/p1/$everything', 200, 'Patient/p1'],
    [
      'sees types with a scope to search',
      'patient/Patient.r patient/Condition.rs patient/Encounter.r',
      '/Patient/p1/$everything',
      200,
      'Patient/p1 Condition/c1 Condition/c2 + Encounter/e1',
    ],
    ['sees no other patient', 'patient/*.rs', '/Patient/p2/$everything', 404, ''],
    ['needs a scope to read the record', 'patient/Condition.rs', '/Patient/p1/$everything', 403, ''],
    ['needs one for a type that is named', 'patient/Patient.rs', '/Patient/p1/$everything?_type=Condition', 403, ''],
    ['needs one to search patients', 'patient/Patient.r', '/Patient/$everything', 403, ''],
    [
      'sees the own part of all patients',
      'patient/Patient.rs patient/Condition.rs',
      '/Patient/$everything',
      200,
      'Patient/p1 Condition/c1 Condition/c2',
    ],
  ])('%s', async (_what, scope, path, status, expected) => {
    const answer = await guarded.get(path, inContext(scope));
    expect([answer.status, status === 200 ? entriesOf(answer) : '']).toEqual([status, expected]);
  });

  it('is audited with each record of the answer', async () => {
    const headers = { ...inContext('patient/Patient.r patient/Condition.rs'), 'X-Request-Id': 'audited' };
    await guarded.get('/Patient/p1/$everything', headers);
    const events = await eventsOf(guarded, 'audited');
    expect(events).toEqual([expect.objectContaining({ subtype: [expect.objectContaining({ code: 'operation' })] })]);
    for (const what of ['Patient/p1', 'Condition/c1', 'Condition/c2'])
      expect(JSON.stringify(events)).toContain(`"${what}/_history/1"`);
  });
});

describe('the statement', () => {
  it('lists the operation on the types that declare it', async () => {
    const { json } = await server.get('/metadata');
    const of = (type: string) =>
      (json.rest[0].resource as { type: string; operation?: object[] }[]).find(one => one.type === type)?.operation;
    expect(of('Patient')).toContainEqual({
      name: 'everything',
      definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything',
    });
    expect(of('Condition')).toBeUndefined();
  });
});
