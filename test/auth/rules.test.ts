// Who may see what where rules are more than the shipped ones: criteria, creates, indexes that are being built.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseFhirUser } from '../../src/auth/fhir-user.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import { unusableCriteria } from '../../src/auth/context-query.ts';
import type { IndexState } from '../../src/store/port/indexes.ts';
import { refusePending } from '../../src/interaction/pending.ts';
import type { SearchRequest } from '../../src/search/request.ts';
import { folderWith, ours, statement } from '../support/definition-files.ts';
import { issuesOf, media, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';

const doctor = (id: string) => ({ generalPractitioner: [{ reference: `Practitioner/${id}` }] });
const communication = (owner: string, client: string, more: object = {}) => ({
  resourceType: 'Communication',
  status: 'completed',
  identifier: [{ system: 'urn:client', value: client }],
  subject: { reference: `Patient/${owner}` },
  ...more,
});

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const records = [
    patient('p1', doctor('dr')),
    patient('p2', doctor('other')),
    { ...communication('p1', 'app'), id: 'c1' },
    { ...communication('p2', 'other'), id: 'c2' },
    {
      resourceType: 'Observation',
      id: 'o1',
      status: 'final',
      code: { text: 'x' },
      subject: { reference: 'Patient/p1' },
    },
  ];
  const flags = ['--definitions', join(import.meta.dirname, '../fixtures/guarded')];
  server = await serve(records, flags, undefined, { verify: tokens.verify });
});
afterAll(() => server.close());

const ids = async (path: string, claims: object): Promise<string[]> => {
  const { json } = await server.get(path, tokens.bearer(claims));
  return (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id).sort();
};

describe('access-criteria', () => {
  it('narrow what a context sees, by the user and by the client', async () => {
    const user = { ...clinician, scope: 'user/*.rs' };
    expect(await ids('/Patient', user)).toEqual(['p1']);
    expect((await server.get('/Patient/p1', tokens.bearer(user))).status).toBe(200);
    expect((await server.get('/Patient/p2', tokens.bearer(user))).status).toBe(404);
    expect(await ids('/Patient', { scope: 'system/*.rs' })).toEqual(['p1', 'p2']);
    expect(await ids('/Communication', { scope: 'system/*.rs' })).toEqual(['c1']);
    expect(await ids('/Communication', { scope: 'system/*.rs', client: 'other' })).toEqual(['c2']);
    expect(await ids('/Communication', user)).toEqual(['c1', 'c2']);
  });

  it.each([
    '*',
    'app,other',
    'app|other',
    'urn:client|app',
    '{clientId}',
    '{fhirUser}',
    ' ',
    ' app',
    'app ',
    'a\\',
    '%',
    '',
  ])('take the client `%s` as a text', async client => {
    const { status } = await server.get('/Communication', tokens.bearer({ scope: 'system/*.rs', client }));
    expect([200, 403]).toContain(status);
    expect(status === 200 ? await ids('/Communication', { scope: 'system/*.rs', client }) : []).toEqual([]);
  });

  it.each(['_include=*', '_revinclude=*', '_contained=false', 'identifier=urn:client|app&_include=*'])(
    'of a scope grant nothing with `%s`, which restricts nothing',
    async criteria => {
      const scope = `system/Communication.rs?${criteria}`;
      expect((await server.get('/Communication', tokens.bearer({ scope }))).status).toBe(403);
    },
  );

  it('use parameters that are not offered to clients', async () => {
    const { status } = await server.get(
      '/Patient?general-practitioner=Practitioner/dr',
      tokens.bearer({ scope: 'system/*.rs' }),
    );
    expect(status).toBe(400);
  });

  it('that are not a valid search prevent the start', async () => {
    const criteria = (text: string) =>
      ours('access-criteria', [
        { url: 'context', valueCode: 'user' },
        { url: 'criteria', valueString: text },
      ]);
    const resource = (text: string) => ({ type: 'Patient', extension: [criteria(text)] });
    for (const text of ['birthdate=never', 'name:in=x', 'name.x={fhirUser}']) {
      const folder = folderWith({ 'capability/a.json': statement([resource(text)]) });
      const { model, problems } = await loadModel({ definitions: [folder] });
      const reported = [
        ...problems.map(problem => problem.text),
        ...(model === undefined ? [] : unusableCriteria(model)),
      ];
      expect(reported).toEqual([expect.stringContaining(`\`${text}\` of Patient is not a valid search`)]);
    }
  });
});

describe('a scope that is listed with a search', () => {
  const scope = (text: string) => ours('smart-scope', { valueString: text });
  it('gives no more than that search finds, however it is asked for', async () => {
    const listed = [
      scope('patient/Observation.rs?category=laboratory'),
      scope('user/Observation.s?category=laboratory'),
    ];
    const folder = folderWith({ 'capability/a.json': statement([{ type: 'Observation', extension: listed }]) });
    const of = (id: string, category: string) => ({
      resourceType: 'Observation',
      id,
      status: 'final',
      code: { text: 'x' },
      category: [{ coding: [{ code: category }] }],
      subject: { reference: 'Patient/p1' },
    });
    const records = [patient('p1'), of('lab', 'laboratory'), of('vital', 'vital-signs')];
    const narrow = await serve(records, ['--definitions', folder], undefined, { verify: tokens.verify });
    const total = async (claims: object) =>
      (await narrow.get('/Observation?_total=accurate', tokens.bearer(claims))).json.total;
    for (const asked of [
      'patient/Observation.rs',
      'patient/*.rs',
      'patient/Observation.read',
      'patient/Observation.rs?_id=lab,vital',
    ]) {
      // prettier-ignore
      const claims = { scope: asked, patient: 'p1' };
      expect([asked, await total(claims)]).toEqual([asked, 1]);
      expect((await narrow.get('/Observation/lab', tokens.bearer(claims))).status).toBe(200);
      expect((await narrow.get('/Observation/vital', tokens.bearer(claims))).status).toBe(404);
    }
    expect(await total({ ...clinician, scope: 'user/*.cruds' })).toBe(1);
    expect((await narrow.get('/Observation/lab', tokens.bearer({ ...clinician, scope: 'user/*.cruds' }))).status).toBe(
      403,
    );
    expect(await total({ scope: 'system/Observation.rs' })).toBe(2);
    await narrow.close();
  });
});

describe('a create', () => {
  const create = (type: string, body: object, claims: object, headers = {}) =>
    post(server, type, body, { ...tokens.bearer(claims), ...headers });

  it('names only patients that the clinician sees; others are as if they were not there', async () => {
    const claims = { ...clinician, scope: 'user/Media.c user/Communication.c' };
    for (const [id, status] of [
      ['p1', 201],
      ['p2', 422],
      ['nobody', 422],
    ] as const) {
      // prettier-ignore
      const about = media({ subject: { reference: `Patient/${id}` } });
      expect((await create('Media', about, claims)).status).toBe(status);
      expect((await create('Communication', communication(id, 'x'), claims)).status).toBe(status);
    }
    const texts = await Promise.all(
      ['p2', 'nobody'].map(async id => (await create('Communication', communication(id, 'x'), claims)).text),
    );
    expect(texts[0]).toBe(texts[1]?.replaceAll('nobody', 'p2'));
  });

  it('does not reveal whether a record exists that is never within the context', async () => {
    const claims = { ...clinician, scope: 'user/Media.c' };
    const [there, nowhere] = await Promise.all(
      ['o1', 'o2'].map(id => create('Media', media({ partOf: [{ reference: `Observation/${id}` }] }), claims)),
    );
    expect([there?.status, nowhere?.status]).toEqual([422, 422]);
    expect(there?.text.replaceAll('o1', 'o2')).toBe(nowhere?.text);
    const operator = await create('Media', media({ operator: { reference: 'Practitioner/anybody' } }), claims);
    expect(operator.status).toBe(201);
  });

  it('by a patient is of that patient, by a system of its own', async () => {
    const own = { patient: 'p1', scope: 'patient/Communication.c' };
    expect((await create('Communication', communication('p1', 'x'), own)).status).toBe(201);
    for (const id of ['p2', 'nobody']) {
      const answer = await create('Communication', communication(id, 'x'), own);
      expect([answer.status, issuesOf(answer)]).toEqual([403, ['forbidden http.Authorization']]);
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer realm="[^"]+\/r4\/demo", error="insufficient_scope", error_description="[^"]+"$/,
      );
    }
    expect(
      (await create('Communication', communication('p2', 'app'), { scope: 'system/Communication.c' })).status,
    ).toBe(201);
    expect((await create('Communication', communication('p2', 'x'), { scope: 'system/Communication.c' })).status).toBe(
      403,
    );
  });

  it('with If-None-Exist needs the scope to search, and sees no more than a search', async () => {
    const exists = { 'If-None-Exist': 'identifier=urn:client|other' };
    const user = { ...clinician, scope: 'user/Communication.cs' };
    const found = await create('Communication', communication('p1', 'other'), user, exists);
    expect([found.status, found.json.id]).toEqual([200, 'c2']);
    const without = { ...clinician, scope: 'user/Communication.c' };
    expect((await create('Communication', communication('p1', 'other'), without, exists)).status).toBe(403);
    const own = { patient: 'p1', scope: 'patient/Communication.cs' };
    expect((await create('Communication', communication('p1', 'other'), own, exists)).status).toBe(201);
  });

  it('has its Idempotency-Key for its caller alone', async () => {
    const key = { 'Idempotency-Key': 'mine' };
    const claims = { ...clinician, scope: 'user/Media.c' };
    const first = await create('Media', media(), claims, key);
    expect((await create('Media', media(), claims, key)).json.id).toBe(first.json.id);
    for (const other of [
      { client: 'other' },
      { subject: 'other' },
      { fhirUser: 'Practitioner/other' },
      { patient: 'p1' },
    ]) {
      const answer = await create('Media', media({ status: 'preparation' }), { ...claims, ...other }, key);
      expect([201, 422]).toContain(answer.status);
      expect(answer.json.id).not.toBe(first.json.id);
      expect(issuesOf({ ...answer, json: { issue: answer.json.issue ?? [] } })).not.toContain(
        'conflict http."Idempotency-Key"',
      );
    }
  });
});

describe('an index that is being built', () => {
  const pending: IndexState = {
    partition: 'demo',
    state: 'pending',
    type: 'Condition',
    param: 'patient',
    done: 3,
    of: 17,
  };
  const asked = (query: SearchRequest['query']): SearchRequest => {
    const type = server.running.engine.model.types.get('Condition');
    if (type === undefined) throw new Error('no type');
    // what is looked at
    return { type, query, sort: [{ by: 'default', descending: true }], count: 10 } as unknown as SearchRequest;
  };

  it('rejects a search that needs it for access only, and counts the records for callers who see all', async () => {
    const param = server.running.engine.model.types.get('Condition')?.indexed.get('patient');
    if (param === undefined) throw new Error('no parameter');
    const indexes = { status: async () => [pending] };
    const query = { kind: 'param', param, test: { kind: 'reference', type: 'Patient', id: 'p1' } } as const;
    await expect(refusePending(indexes, 'demo', asked(query), () => true)).rejects.toThrow(
      '`patient` (3 of 17 resources)',
    );
    await expect(refusePending(indexes, 'demo', asked(query), () => false)).rejects.toThrow(/built: `patient`\. Retry/);
    await refusePending(indexes, 'demo', asked({ kind: 'all' }), () => false);
  });
});

describe('fhirUser', () => {
  const base = 'https://ehr.example/r4/demo';
  it.each([
    ['Practitioner/a', 'Practitioner/a', true],
    [`${base}/Practitioner/a`, 'Practitioner/a', true],
    ['https://ehr.example/r4/other/Practitioner/a', 'https://ehr.example/r4/other/Practitioner/a', false],
    ['https://elsewhere.example/Patient/a', 'https://elsewhere.example/Patient/a', false],
  ])('%s is %s', (claim, reference, here) => {
    expect(parseFhirUser(claim, base)).toMatchObject({ reference, here, id: 'a' });
  });

  it.each([
    undefined,
    '',
    'a',
    'Practitioner/',
    '/a',
    'Practitioner/a/b',
    'practitioner/a',
    'Practitioner/a b',
    'urn:uuid:Practitioner/a',
    `${base}x/Practitioner/a?x`,
    'javascript://x/Practitioner/a',
    `Practitioner/${'a'.repeat(65)}`,
  ])('%s is none', claim => {
    // prettier-ignore
    expect(parseFhirUser(claim, base)).toBeUndefined();
  });
});
