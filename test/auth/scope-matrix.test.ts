// The scope matrix, section 5 of the interface's description: every type, context and interaction over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claims } from '../../src/auth/claims.ts';
import { media, post } from '../support/media.ts';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { clinician, testTokens } from '../support/tokens.ts';

const of = (owner: string) => ({ subject: { reference: `Patient/${owner}` } });
const code = (text: string) => ({ coding: [{ system: 'http://snomed.info/sct', code: text }] });

/** One resource of each type that belongs to a patient; another one, who is named beside him, gets nothing by that. */
const records = (owner: string, other: { reference: string }): object[] => [
  patient(owner, { link: [{ other, type: 'replaced-by' }] }),
  observation(`observation-${owner}`, { ...of(owner), performer: [other] }),
  {
    resourceType: 'Appointment',
    id: `appointment-${owner}`,
    status: 'booked',
    participant: [
      { actor: { reference: `Patient/${owner}` }, status: 'accepted' },
      { actor: { reference: 'Practitioner/dr' }, status: 'accepted' },
    ],
  },
  {
    resourceType: 'Condition',
    id: `condition-${owner}`,
    code: code('1'),
    ...of(owner),
    asserter: other,
    recorder: other,
  },
  {
    resourceType: 'MedicationRequest',
    id: `medicationrequest-${owner}`,
    status: 'active',
    intent: 'order',
    medicationCodeableConcept: code('2'),
    ...of(owner),
    requester: other,
    performer: other,
  },
  {
    resourceType: 'FamilyMemberHistory',
    id: `familymemberhistory-${owner}`,
    status: 'partial',
    relationship: code('3'),
    patient: { reference: `Patient/${owner}` },
  },
  { resourceType: 'Encounter', id: `encounter-${owner}`, status: 'finished', class: { code: 'AMB' }, ...of(owner) },
];
const idOf = (type: string, owner: string): string => (type === 'Patient' ? owner : `${type.toLowerCase()}-${owner}`);

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const doctors = ['dr', 'other'].map(id => ({ resourceType: 'Practitioner', id, name: [{ family: id }] }));
  const owned = [...records('p1', { reference: 'Patient/p2' }), ...records('p2', { reference: 'Patient/p1' })];
  server = await serve([...owned, ...doctors], [], undefined, { verify: tokens.verify });
});
afterAll(() => server.close());

/** The claims that go with a context. */
const contexts: Readonly<Record<string, Partial<Claims>>> = {
  patient: { subject: 'p1', patient: 'p1', fhirUser: 'Patient/p1' },
  user: clinician,
  system: {},
};

type Asked = 'read' | 'search' | 'create';
const letters: Readonly<Record<Asked, string>> = { read: 'r', search: 's', create: 'c' };

function ask(type: string, interaction: Asked, claims: Partial<Claims>, owner = 'p1'): Promise<Answer> {
  const headers = tokens.bearer(claims);
  switch (interaction) {
    case 'read':
      return server.get(`/${type}/${idOf(type, owner)}`, headers);
    case 'search':
      return server.get(`/${type}?_total=accurate`, headers);
    case 'create':
      return post(server, type, media({ subject: { reference: `Patient/${owner}` } }), headers);
    default:
      return interaction satisfies never;
  }
}

/** Section 5: what each context has, by type; nothing where it is not listed. */
const matrix: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Patient: { patient: 'rs', user: 'rs', system: 'rs' },
  Observation: { system: 'rs' },
  Appointment: { patient: 'rs', user: 'rs', system: 'rs' },
  Condition: { patient: 'rs', user: 'rs', system: 'rs' },
  MedicationRequest: { patient: 'rs' },
  FamilyMemberHistory: { patient: 'rs' },
  Encounter: { patient: 'rs', user: 'rs', system: 'rs' },
  Media: { user: 'c' },
};

const rows = Object.entries(matrix).flatMap(([type, has]) =>
  Object.keys(contexts).flatMap(context =>
    (type === 'Media' ? (['create'] as const) : (['read', 'search'] as const)).map(
      interaction => [context, interaction, type, has[context]?.includes(letters[interaction]) === true] as const,
    ),
  ),
);

const given = rows.filter(([, , , allowed]) => allowed);
const refused = rows.filter(([, , , allowed]) => !allowed);

describe('the scope matrix', () => {
  it('is the one that the definitions hold', async () => {
    const { types } = server.running.engine.model;
    const listed = [...types.values()].map(({ name, smartScopes }) => [name, smartScopes]);
    const { Practitioner, ...others } = Object.fromEntries(listed) as Record<string, string[]>;
    expect(Practitioner).toEqual(['fhirUser']);
    for (const [type, scopes] of Object.entries(others)) {
      const expected = Object.entries(matrix[type] ?? {}).map(([context, given]) => `${context}/${type}.${given}`);
      expect(scopes).toEqual(type === 'Patient' ? ['patient/Patient.r', ...expected] : expected);
    }
    expect(Object.keys(others)).toHaveLength(8);
  });

  it.each(given)('%s gives %s of %s', async (context, interaction, type) => {
    const claims = { ...contexts[context], scope: `${context}/${type}.${letters[interaction]}` };
    const { status, json } = await ask(type, interaction, claims);
    const expected = { read: [200, type], search: [200, 'Bundle'], create: [201, type] };
    expect([status, json.resourceType]).toEqual(expected[interaction]);
    const all = context === 'patient' ? 1 : 2;
    expect(json.total).toBe(interaction === 'search' ? all : undefined);
  });

  it.each(given)('%s gives %s of %s by no other scope', async (context, interaction, type) => {
    const others = 'cruds'.replace(letters[interaction], '');
    for (const scope of [`${context}/${type}.${others}`, `${context}/Basic.cruds`, 'openid fhirUser launch']) {
      expect((await ask(type, interaction, { ...contexts[context], scope })).status).toBe(403);
    }
  });

  it.each(refused)('%s never gives %s of %s', async (context, interaction, type) => {
    const { [interaction]: letter } = letters;
    for (const scope of [`${type}.${letter}`, `${type}.cruds`, '*.cruds', '*.*', `${type}.*`]) {
      const answer = await ask(type, interaction, { ...contexts[context], scope: `${context}/${scope}` });
      expect([answer.status, answer.json.issue[0].code]).toEqual([403, 'forbidden']);
      expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope"');
    }
  });

  it.each(given)('v1 and wildcards, %s, %s of %s', async (context, interaction, type) => {
    const word = interaction === 'create' ? 'write' : 'read';
    for (const scope of [
      `${context}/${type}.${word}`,
      `${context}/${type}.*`,
      `${context}/*.*`,
      `${context}/*.cruds`,
    ]) {
      const { status } = await ask(type, interaction, { ...contexts[context], scope });
      expect([scope, status]).toEqual([scope, interaction === 'create' ? 201 : 200]);
    }
  });

  it.each([
    ['patient/Patient.r', 200, 403],
    ['patient/Patient.s', 403, 200],
    ['patient/Patient.rs', 200, 200],
    ['patient/Patient.r patient/Patient.s', 200, 200],
    ['patient/Patient.sr', 403, 403],
    ['Patient/Patient.rs', 403, 403],
    ['patient/patient.rs', 403, 403],
    ['patient/Patient.RS', 403, 403],
    ['patient/Patient', 403, 403],
    ['patient/Patient.', 403, 403],
    ['patient/Patient.rs?', 403, 403],
    ['patient/Patient.read?_id=p1', 403, 403],
    ['patient/Patients.rs', 403, 403],
    ['patient/Patient.rs,', 403, 403],
    ['', 403, 403],
  ])('`%s` reads %i and searches %i', async (scope, read, search) => {
    const claims = { ...contexts['patient'], scope };
    expect([(await ask('Patient', 'read', claims)).status, (await ask('Patient', 'search', claims)).status]).toEqual([
      read,
      search,
    ]);
  });

  it('names the scopes that would do', async () => {
    const { headers } = await ask('Patient', 'search', { scope: 'patient/Patient.r', patient: 'p1' });
    expect(headers['www-authenticate']).toBe(
      `Bearer realm="${server.base}", error="insufficient_scope", error_description="The token has no ` +
        'scope for search-type of Patient.", scope="patient/Patient.rs user/Patient.rs system/Patient.rs"',
    );
    const none = await server.get('/Media/x', tokens.bearer());
    expect(none.status).toBe(405);
  });
});

describe('a patient token', () => {
  const types = Object.keys(matrix).filter(type => matrix[type]?.['patient'] !== undefined);

  it.each(types)('sees its own %s alone', async type => {
    const claims = { ...contexts['patient'], scope: 'patient/*.rs' };
    expect((await ask(type, 'read', claims)).status).toBe(200);
    const other = await ask(type, 'read', claims, 'p2');
    const nobody = await ask(type, 'read', claims, 'nobody');
    expect([other.status, other.text.replaceAll('p2', 'nobody')]).toEqual([404, nobody.text]);
    const headers = { ...tokens.bearer(claims), 'If-None-Match': '*' };
    expect((await server.get(`/${type}/${idOf(type, 'p2')}`, headers)).status).toBe(404);
    const found = await server.get(`/${type}?_id=${idOf(type, 'p1')},${idOf(type, 'p2')}&_total=accurate`, headers);
    expect([found.json.total, found.json.entry[0].resource.id]).toEqual([1, idOf(type, 'p1')]);
  });

  it('finds nothing where it asks for another patient', async () => {
    const { status, json } = await server.get(
      '/Condition?patient=Patient/p2',
      tokens.bearer({ ...contexts['patient'], scope: 'patient/*.rs' }),
    );
    expect([status, json.entry]).toEqual([200, undefined]);
  });

  it.each([undefined, '', 'Patient/p1', 'p1/../p2', '*'])('with the patient %j gets nothing', async context => {
    const claims = { scope: 'patient/*.rs', patient: context };
    expect((await ask('Patient', 'read', claims)).status).toBe(403);
    expect((await ask('Condition', 'search', claims)).status).toBe(403);
  });
});

describe('a user token', () => {
  it.each([
    ['Practitioner/dr', 200],
    ['PractitionerRole/role', 200],
    ['https://elsewhere.example/fhir/Practitioner/dr', 200],
    ['Patient/p1', 403],
    ['RelatedPerson/r', 403],
    ['Person/p', 403],
    ['Practitioner', 403],
    ['https://elsewhere.example/fhir/Patient/Practitioner/', 403],
    [undefined, 403],
  ])('of %s: %i', async (fhirUser, status) => {
    for (const type of ['Patient', 'Appointment', 'Condition', 'Encounter']) {
      expect((await ask(type, 'search', { scope: 'user/*.rs', subject: 'x', fhirUser })).status).toBe(status);
    }
  });

  it('reads its own resource with the scope fhirUser, and no other', async () => {
    const read = async (id: string, claims: Partial<Claims>): Promise<number> =>
      (await server.get(`/Practitioner/${id}`, tokens.bearer(claims))).status;
    const scope = 'openid fhirUser';
    expect(await read('dr', { ...clinician, scope })).toBe(200);
    expect(await read('dr', { ...clinician, fhirUser: `${server.base}/Practitioner/dr`, scope })).toBe(200);
    expect(await read('other', { ...clinician, scope })).toBe(404);
    expect(await read('nobody', { ...clinician, scope })).toBe(404);
    expect(await read('dr', { ...clinician, fhirUser: 'https://elsewhere.example/Practitioner/dr', scope })).toBe(403);
    expect(await read('dr', { ...clinician, scope: 'openid user/*.cruds system/*.*' })).toBe(403);
    expect(await read('dr', { ...contexts['patient'], scope })).toBe(403);
    expect((await server.get('/Practitioner', tokens.bearer({ ...clinician, scope }))).status).toBe(405);
  });
});

describe('a granular scope', () => {
  const total = async (type: string, claims: Partial<Claims>): Promise<number> =>
    (await ask(type, 'search', claims)).json.total;

  it('gives what its search finds, of what its context sees, and several add up', async () => {
    const user = (scope: string) => ({ ...clinician, scope });
    expect(await total('Condition', user('user/Condition.rs?_id=condition-p1'))).toBe(1);
    expect(
      await total('Condition', user('user/Condition.rs?_id=condition-p1 user/Condition.rs?_id=condition-p2')),
    ).toBe(2);
    expect(await total('Condition', user('user/Condition.rs?code=http://snomed.info/sct|1&patient=Patient/p2'))).toBe(
      1,
    );
    expect(await total('Condition', user('user/Condition.rs?code=other'))).toBe(0);
    expect(await total('Condition', { ...contexts['patient'], scope: 'patient/Condition.rs?code=1' })).toBe(1);
    expect(await total('Condition', user('user/*.rs?_id=condition-p2'))).toBe(1);
    const read = await ask('Condition', 'read', user('user/Condition.rs?_id=condition-p1'), 'p2');
    expect(read.status).toBe(404);
  });

  it.each([
    'nme=a',
    '_count=1',
    '_sort=_id',
    '_elements=id',
    'code:in=a',
    'authoredon=2020',
    'code=',
    'patient.name=a',
  ])('that asks for `%s` counts for nothing', async criteria => {
    const answer = await ask('Condition', 'search', { ...clinician, scope: `user/Condition.rs?${criteria}` });
    expect(answer.status).toBe(403);
  });
});
