// Which records a caller may write: neither the version before nor the new one lies outside of its scopes.
// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claims } from '../../src/auth/claims.ts';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';
import { pathPatch } from '../support/versioned.ts';

const tokens = testTokens();
let server: Served;
beforeAll(async () => {
  const folder = join(import.meta.dirname, '../fixtures/written');
  const doctors = ['dr', 'other'].map(id => ({ resourceType: 'Practitioner', id }));
  const parts = { verify: tokens.verify };
  server = await serve([patient('p1'), patient('p2'), ...doctors], ['--definitions', folder], undefined, parts);
});
afterAll(() => server.close());

type Fields = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, string>>;

const subject = (id: string) => ({ subject: { reference: `Patient/${id}` } });
const sender = (id: string) => ({ sender: { reference: `Practitioner/${id}` } });
/** The client whose record it is, and the criteria of conditional requests, which match whosever it is. */
const identifier = (client: string) => ({ identifier: [{ system: 'urn:client', value: client }] });

/** Callers, with the fields of a record that they may write, and those of one that they may not. */
interface Caller {
  readonly claims: Partial<Claims>;
  readonly inside: Fields;
  readonly outside: Fields;
  /** True if the caller may read what it may not write. */
  readonly reads?: true;
}

const all = { status: 'completed', ...subject('p1'), ...sender('dr'), ...identifier('app') };
const stopped = { ...all, status: 'stopped' };
const ofPatient = { patient: 'p1' };
const ofUser = { subject: 'dr', fhirUser: 'Practitioner/dr' };
const callers: readonly [title: string, caller: Caller][] = [
  [
    'a patient in context',
    {
      claims: { ...ofPatient, scope: 'patient/Communication.cruds' },
      inside: all,
      outside: { ...all, ...subject('p2') },
    },
  ],
  [
    'a constraint on a patient in context',
    { claims: { ...ofPatient, scope: 'patient/Communication.cruds?status=completed' }, inside: all, outside: stopped },
  ],
  [
    'a patient in context, who reads more than the app may write',
    {
      claims: { ...ofPatient, scope: 'patient/Communication.rs patient/Communication.cu?status=completed' },
      inside: all,
      outside: stopped,
      reads: true,
    },
  ],
  [
    'a user with criteria',
    { claims: { ...ofUser, scope: 'user/Communication.cruds' }, inside: all, outside: { ...all, ...sender('other') } },
  ],
  [
    'a constraint on a user',
    {
      claims: { ...ofUser, scope: 'user/Communication.cruds?status=completed' },
      inside: all,
      outside: stopped,
    },
  ],
  [
    'a system with criteria',
    {
      claims: { scope: 'system/Communication.cruds' },
      inside: all,
      outside: { ...all, ...identifier('elsewhere') },
    },
  ],
  [
    'a constraint on a system',
    { claims: { scope: 'system/Communication.cruds?status=completed' }, inside: all, outside: stopped },
  ],
  [
    'several contexts together',
    {
      claims: { ...ofPatient, ...ofUser, scope: 'patient/Communication.cruds user/Communication.cruds' },
      inside: { ...all, ...sender('other') },
      outside: { ...all, ...subject('p2'), ...sender('other') },
    },
  ],
];

const json = { 'Content-Type': 'application/fhir+json' };
const send = (method: string, path: string, body: object, headers: Headers): Promise<Answer> =>
  server.ask(method, path, { headers: { ...json, ...headers }, body: JSON.stringify(body) });

/** The type of each element's value in a FHIRPath Patch. */
const types: Readonly<Record<string, [path: string, value: string]>> = {
  status: ['status', 'valueCode'],
  subject: ['subject', 'valueReference'],
  sender: ['sender', 'valueReference'],
  identifier: ['identifier', 'valueIdentifier'],
  topic: ['topic', 'valueCodeableConcept'],
};
const inPaths = (fields: Fields) => ({
  resourceType: 'Parameters',
  parameter: Object.entries(fields).flatMap(([name, value]) => {
    const [element = '', type = ''] = types[name] ?? [];
    const one = { name: 'value', [type]: Array.isArray(value) ? (value[0] as object) : value };
    return pathPatch('replace', `Communication.${element}`, one).parameter;
  }),
});
const inPointers = (fields: Fields) =>
  Object.entries(fields).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
const isJsonPatch = { 'Content-Type': 'application/json-patch+json' };

interface Write {
  readonly id: string;
  /** The new content of the record. */
  readonly after: Fields;
  /** The criteria that match the record before, where the caller may search it. */
  readonly query: string;
  readonly headers: Headers;
}

const resource = ({ id, after }: Write) => ({ resourceType: 'Communication', id, ...after });

const changes: Readonly<Record<string, (write: Write) => Promise<Answer>>> = {
  update: write => send('PUT', `/Communication/${write.id}`, resource(write), write.headers),
  'conditional update': write =>
    send('PUT', `/Communication?${write.query}`, { ...resource(write), id: undefined }, write.headers),
  'JSON Patch': ({ id, after, headers }) =>
    send('PATCH', `/Communication/${id}`, inPointers(after), { ...headers, ...isJsonPatch }),
  'FHIRPath Patch': ({ id, after, headers }) => send('PATCH', `/Communication/${id}`, inPaths(after), headers),
  'conditional patch': ({ query, after, headers }) =>
    send('PATCH', `/Communication?${query}`, inPointers(after), { ...headers, ...isJsonPatch }),
};

const creates: Readonly<Record<string, (write: Write) => Promise<Answer>>> = {
  create: write => send('POST', '/Communication', resource(write), write.headers),
  'conditional create': write =>
    send('POST', '/Communication', resource(write), { ...write.headers, 'If-None-Exist': `_id=${write.id}` }),
  'update that creates': write => send('PUT', `/Communication/${write.id}`, resource(write), write.headers),
  'conditional update that creates': write =>
    send('PUT', `/Communication?_id=${write.id}`, resource(write), write.headers),
};

let records = 0;

describe.each(callers)('a caller with %s', (_, { claims, inside, outside, reads = false }) => {
  const headers = tokens.bearer(claims);

  it.each(Object.entries(creates))('creates within its scopes only: %s', async (_kind, create) => {
    const write = (after: Fields): Write => ({ id: `n${records++}`, after, query: '', headers });
    expect((await create(write(inside))).status).toBe(201);
    const refused = write(outside);
    expect((await create(refused)).status).toBe(403);
    expect(await server.partition.read('Communication', refused.id)).toBeUndefined();
  });

  it.each(
    Object.entries(changes).flatMap(([kind, change]) => [
      [kind, 'inside', 'inside', change] as const,
      [kind, 'inside', 'outside', change] as const,
      [kind, 'outside', 'inside', change] as const,
      [kind, 'outside', 'outside', change] as const,
    ]),
  )('%s of a record from %s to %s its scopes', async (kind, from, to, change) => {
    const id = `r${records++}`;
    const [before, target] = [from, to].map(where => (where === 'inside' ? inside : outside));
    const text = JSON.stringify({ resourceType: 'Communication', id, ...before, topic: { text: 'before' } });
    await server.partition.write([{ kind: 'put', type: 'Communication', id, text: splitForStamp(text, id) }]);
    const stored = async () => (await server.partition.read('Communication', id))?.text;
    const held = await stored();
    const { status } = await change({
      id,
      after: { ...target, topic: { text: 'after' } },
      query: `_id=${id}`,
      headers,
    });
    const isNew = kind === 'conditional update' && from === 'outside' && !reads && to === 'inside';
    const isHidden = from === 'outside' && !reads && kind.toLowerCase().includes('patch');
    const isDone = from === 'inside' && to === 'inside';
    // Criteria match nothing that the caller may not search: a conditional update then creates another record.
    expect(status).toBe(isDone ? 200 : isNew ? 201 : isHidden ? 404 : 403);
    expect((await stored()) !== held).toBe(isDone);
  });
});

it('a caller that may not read a record does not patch it, since the answer would show it', async () => {
  const id = 'unread';
  const writer = tokens.bearer({ scope: 'system/Communication.cu' });
  const reader = tokens.bearer({ scope: 'system/Communication.rs' });
  expect(
    (await send('PUT', `/Communication/${id}`, { resourceType: 'Communication', id, ...all }, writer)).status,
  ).toBe(201);
  const test = [{ op: 'test', path: '/status', value: 'stopped' }];
  const refused = await send('PATCH', `/Communication/${id}`, test, { ...writer, ...isJsonPatch });
  expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([
    403,
    'A patch needs a scope that reads this Communication too, since its answer shows the record. Send an update.',
  ]);
  expect((await send('PATCH', `/Communication/${id}`, test, { ...reader, ...isJsonPatch })).status).toBe(403);
});

describe('references of a record that a patient in context writes', () => {
  let whole: Served;
  beforeAll(async () => {
    const records = [
      patient('p1'),
      patient('p2'),
      { resourceType: 'Practitioner', id: 'dr' },
      ...['p1', 'p2'].map(id => ({ resourceType: 'Encounter', id: `of-${id}`, ...inProgress, ...subject(id) })),
    ];
    whole = await serve(records, ['--interface', 'r4'], undefined, { verify: tokens.verify });
  });
  afterAll(() => whole.close());

  const inProgress = { status: 'in-progress', class: { code: 'AMB' } };
  const write = (scope: string, more: Fields, method = 'POST') => {
    const id = method === 'PUT' ? { id: `o${records++}` } : {};
    const body = { resourceType: 'Observation', ...id, status: 'final', code: { text: 'pain' }, ...more };
    const path = `/Observation${method === 'PUT' ? `/${id.id}` : ''}`;
    const headers = { ...json, ...tokens.bearer({ ...ofPatient, ...ofUser, scope }) };
    return whole.ask(method, path, { headers, body: JSON.stringify(body) });
  };
  const performer = (reference: string) => ({ ...subject('p1'), performer: [{ reference }] });
  const encounter = (id: string) => ({ ...subject('p1'), encounter: { reference: `Encounter/${id}` } });
  const only = 'patient/Observation.cruds fhirUser';

  it.each([
    ['a performer', only, performer('Practitioner/dr')],
    ['a performer who does not exist here', only, performer('Practitioner/nobody')],
    ['a version of one', only, performer('Practitioner/nobody/_history/3')],
    ['the absolute URL of one', only, performer('BASE/Practitioner/nobody')],
    ['a device that does not exist here', only, { ...subject('p1'), device: { reference: 'Device/none' } }],
    ['an encounter of the patient, which the token does not read', only, encounter('of-p1')],
    ['an encounter of another, which the token does not read either', only, encounter('of-p2')],
    ['no encounter', only, encounter('nothing')],
    ['an encounter that the token reads', `${only} patient/Encounter.r`, encounter('of-p1')],
    ['a performer whom the token reads for the user', `${only} user/Practitioner.r`, performer('Practitioner/dr')],
  ])('may name %s', async (_, scope, more) => {
    const text = JSON.stringify(more).replace('BASE', whole.base);
    for (const method of ['POST', 'PUT'])
      expect((await write(scope, JSON.parse(text) as Fields, method)).status).toBe(201);
  });

  it.each([
    ['another patient beside the one in context', only, { ...subject('p1'), performer: [{ reference: 'Patient/p2' }] }],
    ['a patient who does not exist', only, { ...subject('p1'), performer: [{ reference: 'Patient/none' }] }],
    ['an encounter of another patient', `${only} patient/Encounter.r`, encounter('of-p2')],
    ['no encounter that there is', `${only} patient/*.rs`, encounter('nothing')],
  ])('do not name %s', async (_, scope, more) => {
    const { status, json: outcome } = await write(scope, more);
    expect([status, outcome.issue[0].diagnostics]).toEqual([422, expect.stringContaining('does not exist')]);
  });

  it.each([subject('p2'), {}])('make no record of another patient or of none: %j', async more => {
    expect((await write(only, { ...more, performer: [{ reference: 'Practitioner/dr' }] })).status).toBeOneOf([
      403, 422,
    ]);
  });

  it('are checked for other contexts as before', async () => {
    expect((await write('user/Observation.c', performer('Practitioner/dr'))).status).toBe(201);
    expect((await write('system/Observation.c', performer('Practitioner/dr'))).status).toBe(201);
  });
});
