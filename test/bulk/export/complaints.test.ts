// What users of other servers report of their exports is right here.
// https://hl7.org/fhir/uv/bulkdata/STU2/export.html
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyOfR4 } from '../../support/r4-of.ts';
import { mayReferTo } from '../../../src/bulk/export/associated.ts';
import { put, serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { below, complete, exportFolder, exported, start } from './support.ts';

const types = [
  'Patient',
  'Group',
  'Observation',
  'Encounter',
  'Practitioner',
  'Organization',
  'Location',
  'Appointment',
  'Provenance',
  'DocumentReference',
  'Binary',
  'Device',
];

const patient = (id: string, more: object = {}) => ({ resourceType: 'Patient', id, active: true, ...more });
const observation = (id: string, of: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'x' },
  subject: { reference: of },
  ...more,
});
const group = (id: string, member: readonly object[], more: object = {}) => ({
  resourceType: 'Group',
  id,
  type: 'person',
  actual: true,
  ...(member.length === 0 ? {} : { member }),
  ...more,
});
const member = (reference: string, more: object = {}) => ({ entity: { reference }, ...more });
const provenance = (id: string, ...targets: readonly string[]) => ({
  resourceType: 'Provenance',
  id,
  recorded: '2024-01-01T00:00:00Z',
  target: targets.map(reference => ({ reference })),
  agent: [{ who: { reference: 'Practitioner/dr' } }],
});

describe('exports', () => {
  let served: Served;
  let since: string;

  beforeAll(async () => {
    served = await serve([], ['--capability', onlyOfR4(types), ...exportFolder(), '--export-jobs', '50']);
    const { base } = served;
    await put(served.partition, [
      patient('a', { gender: 'female', generalPractitioner: [{ reference: 'Practitioner/gp' }] }),
      patient('b', { gender: 'male', link: [{ other: { reference: 'Patient/c' }, type: 'seealso' }] }),
      patient('c'),
      patient('gone'),
      observation('a1', 'Patient/a', { status: 'final', performer: [{ reference: 'Practitioner/dr' }] }),
      observation('a2', `${base}/Patient/a`, { status: 'amended', code: { coding: [{ system: 's', code: 'x' }] } }),
      observation('b1', 'Patient/b', { device: { reference: 'Device/of-c' } }),
      observation('byB', 'Device/d', { performer: [{ reference: 'Patient/b' }] }),
      observation('none', 'Device/d'),
      observation('g1', 'Patient/gone'),
      { resourceType: 'Device', id: 'd' },
      { resourceType: 'Device', id: 'of-c', patient: { reference: 'Patient/c' } },
      { resourceType: 'Practitioner', id: 'dr' },
      { resourceType: 'Practitioner', id: 'gp' },
      { resourceType: 'Practitioner', id: 'nobody' },
      { resourceType: 'Organization', id: 'owner' },
      { resourceType: 'Location', id: 'l', managingOrganization: { reference: 'Organization/owner' } },
      {
        resourceType: 'Encounter',
        id: 'e',
        status: 'finished',
        class: { code: 'AMB' },
        subject: { reference: 'Patient/a' },
        location: [{ location: { reference: 'Location/l' } }],
      },
      {
        resourceType: 'Appointment',
        id: 'two',
        status: 'booked',
        participant: [
          { actor: { reference: 'Patient/a' }, status: 'accepted' },
          { actor: { reference: 'Patient/b' }, status: 'accepted' },
        ],
      },
      { resourceType: 'Binary', id: 'free', contentType: 'text/plain', data: 'eA==' },
      {
        resourceType: 'Binary',
        id: 'bound',
        contentType: 'text/plain',
        securityContext: { reference: 'Patient/a' },
        data: 'eA==',
      },
      {
        resourceType: 'DocumentReference',
        id: 'doc',
        status: 'current',
        subject: { reference: 'Patient/a' },
        content: [{ attachment: { contentType: 'text/plain', url: 'Binary/bound' } }],
      },
      provenance('ofA1', 'Observation/a1'),
      provenance('ofA1again', 'Observation/a1'),
      provenance('ofB', 'Observation/b1', 'Patient/b'),
      provenance('ofDevice', 'Device/d'),
      group('empty', []),
      group('some', [
        member('Patient/a'),
        member(`${base}/Patient/a`),
        member('Patient/b', { inactive: true }),
        member('Patient/c', { period: { end: '2020-01-01' } }),
        member('Device/d'),
      ]),
      group('nested', [member('Group/inner'), member('Patient/gone')]),
      group('inner', [member('Patient/b'), member('Group/nested')]),
      group('kind', [], {
        actual: false,
        characteristic: [{ code: { text: 'x' }, valueBoolean: true, exclude: false }],
      }),
    ]);
    since = (await exported(served, '/$export?_type=Group')).manifest.transactionTime;
    await put(served.partition, [
      observation('a3', 'Patient/a'),
      observation('a1', 'Patient/a', { note: [{ text: 'changed' }] }),
    ]);
    await served.partition.write([
      { kind: 'remove', type: 'Observation', id: 'a2' },
      { kind: 'remove', type: 'Observation', id: 'b1' },
      { kind: 'remove', type: 'Observation', id: 'none' },
    ]);
    await put(served.partition, [observation('b1', 'Patient/b')]);
  });
  afterAll(() => served.close());

  const names = async (path: string): Promise<readonly string[]> => [...(await exported(served, path)).names].sort();

  it.each<[why: string, path: string, expected: readonly string[] | ((names: readonly string[]) => boolean)]>([
    ['an empty Group exports nobody', '/Group/empty/$export?_type=Patient,Observation', []],
    ['inactive, former and repeated members, and devices', '/Group/some/$export?_type=Patient', ['Patient/a']],
    [
      'members of Groups in a Group, also in a circle',
      '/Group/nested/$export?_type=Patient',
      ['Patient/b', 'Patient/gone'],
    ],
    [
      'Patient is not exported if _type omits it',
      '/Group/some/$export?_type=Observation',
      ['Observation/a1', 'Observation/a3'],
    ],
    [
      '_since limits records, not the Group or its patients',
      '/Group/some/$export?_type=Patient,Observation&_since=SINCE',
      ['Observation/a1', 'Observation/a3'],
    ],
    [
      'Patient is there at patient level',
      '/Patient/$export?_type=Patient',
      ['Patient/a', 'Patient/b', 'Patient/c', 'Patient/gone'],
    ],
    ['linked patients are no members', '/Group/inner/$export?_type=Patient', ['Patient/b', 'Patient/gone']],
    [
      'performer counts, not only subject',
      '/Group/inner/$export?_type=Observation',
      ['Observation/b1', 'Observation/byB', 'Observation/g1'],
    ],
    [
      'several filters of a type are alternatives',
      '/Patient/$export?_type=Patient&_typeFilter=Patient%3Fgender%3Dmale,Patient%3Fgender%3Dfemale',
      ['Patient/a', 'Patient/b'],
    ],
    [
      'repeated filters too',
      '/Patient/$export?_type=Patient&_typeFilter=Patient%3Fgender%3Dmale&_typeFilter=Patient%3Fgender%3Dfemale',
      ['Patient/a', 'Patient/b'],
    ],
    [
      'a comma inside a filter belongs to its value',
      '/Patient/$export?_type=Patient&_typeFilter=Patient%3Fgender%3Dmale,female',
      ['Patient/a', 'Patient/b'],
    ],
    [
      'a type without a filter is whole, also without _type',
      '/Patient/$export?_typeFilter=Patient%3Fgender%3Dmale',
      all => all.includes('Patient/b') && !all.includes('Patient/a') && all.includes('Observation/a1'),
    ],
    [
      'without _type all types are exported',
      '/$export',
      all => new Set(all.map(name => name.split('/')[0])).size === types.length,
    ],
    ['no record twice', '/$export', all => new Set(all).size === all.length],
    ['a record of two patients once', '/Patient/$export?_type=Appointment', ['Appointment/two']],
    [
      'records of no patient are not at patient level',
      '/Patient/$export?_type=Observation,Device',
      all => !all.includes('Observation/none') && !all.includes('Device/of-c'),
    ],
    [
      'supporting records, and what they refer to',
      '/Group/some/$export?_type=Patient,Encounter,Practitioner,Organization,Location',
      ['Encounter/e', 'Location/l', 'Organization/owner', 'Patient/a', 'Practitioner/gp'],
    ],
    [
      'supporting records whatever _since says',
      '/Group/some/$export?_type=Observation,Practitioner&_since=SINCE',
      ['Observation/a1', 'Observation/a3'],
    ],
    [
      'only the exported Group',
      '/Group/some/$export',
      all => all.filter(name => name.startsWith('Group/')).join() === 'Group/some',
    ],
    ['no Binary of a patient, others at system level', '/$export?_type=Binary', ['Binary/free']],
    ['no Binary at patient level', '/Patient/$export', all => all.every(name => !name.startsWith('Binary/'))],
    [
      'every Provenance of the compartment',
      '/Group/some/$export?_type=Observation,Provenance',
      ['Observation/a1', 'Observation/a3', 'Provenance/ofA1', 'Provenance/ofA1again'],
    ],
    [
      'no Provenance if _type is given without it',
      '/Group/some/$export?_type=Observation',
      ['Observation/a1', 'Observation/a3'],
    ],
    [
      'the newest Provenance of each record',
      '/Group/some/$export?_type=Observation&includeAssociatedData=LatestProvenanceResources',
      ['Observation/a1', 'Observation/a3', 'Provenance/ofA1again'],
    ],
    [
      'of several values the one that returns most',
      '/Group/some/$export?_type=Observation&includeAssociatedData=LatestProvenanceResources,RelevantProvenanceResources',
      ['Observation/a1', 'Observation/a3', 'Provenance/ofA1', 'Provenance/ofA1again'],
    ],
    [
      'Provenance of nothing in the output',
      '/Group/inner/$export?_type=Patient&includeAssociatedData=RelevantProvenanceResources',
      ['Patient/b', 'Patient/gone', 'Provenance/ofB'],
    ],
    [
      'all Provenance at system level',
      '/$export?_type=Provenance',
      ['Provenance/ofA1', 'Provenance/ofA1again', 'Provenance/ofB', 'Provenance/ofDevice'],
    ],
    ['a _since of the future finds nothing', '/$export?_since=2099-01-01T00:00:00Z', []],
    ['the second identical export finds the same', '/Patient/$export?_type=Appointment', ['Appointment/two']],
    ['ndjson in short', '/Patient/$export?_type=Appointment&_outputFormat=ndjson', ['Appointment/two']],
    [
      'a plus that arrives as a space',
      '/Patient/$export?_type=Appointment&_outputFormat=application/fhir+ndjson',
      ['Appointment/two'],
    ],
  ])('%s', async (_why, path, expected) => {
    const found = await names(path.replace('SINCE', since));
    const isRight = typeof expected === 'function' ? expected(found) : found.join() === expected.join();
    expect(isRight ? [] : found).toEqual([]);
    expect(isRight).toBe(true);
  });

  it.each<[why: string, path: string, status: number, text: RegExp]>([
    ['an unknown type', '/$export?_type=Foo', 400, /`Foo`/],
    ['an unknown type, lenient', '/$export?_type=Foo', 400, /`Foo`/],
    ['only types outside the compartment', '/Patient/$export?_type=Practitioner', 400, /system level/],
    ['an unknown format', '/$export?_outputFormat=csv', 400, /`csv`/],
    ['a date without a time', '/$export?_since=2024-01-01', 400, /instant/],
    ['an unknown parameter', '/$export?foo=1', 400, /`foo`/],
    ['one of a later version', '/$export?_until=2024-01-01T00:00:00Z', 400, /_until/],
    ['a result parameter in a filter', '/$export?_typeFilter=Patient%3F_include%3DPatient:link', 400, /_include/],
    ['an unknown parameter in a filter', '/$export?_typeFilter=Patient%3Ffoo%3D1', 400, /foo/],
    ['a chain in a filter', '/$export?_typeFilter=Observation%3Fsubject:Patient.gender%3Dmale', 400, /subject/],
    [
      'a filter of a type that is not exported',
      '/$export?_type=Group&_typeFilter=Patient%3Fgender%3Dmale',
      400,
      /Patient/,
    ],
    ['patient by GET', '/Patient/$export?patient=Patient/a', 400, /POST/],
    ['an unknown element', '/$export?_elements=foo', 400, /foo/],
    ['unknown associated data', '/$export?includeAssociatedData=_own', 400, /_own/],
    ['an unknown Group', '/Group/nobody/$export', 404, /nobody/],
    ['a Group of characteristics', '/Group/kind/$export', 422, /actual/],
    ['an id of no job', '/_jobs/nothing', 404, /never existed/],
  ])('refuses %s', async (why, path, status, text) => {
    const answer = await served.get(path, why.endsWith('lenient') ? { Prefer: 'handling=lenient' } : {});
    expect(answer.status).toBe(status);
    expect(answer.json.resourceType).toBe('OperationOutcome');
    expect(answer.text).toMatch(text);
  });

  it('name what lenient handling ignored in `error`, and refuse what would mislead', async () => {
    const lenient = { Prefer: 'respond-async, handling=lenient' };
    const { errors, names: found } = await exported(served, '/Patient/$export?_type=Appointment&foo=1&bar=2', lenient);
    expect(errors).toEqual([expect.stringContaining('`foo`'), expect.stringContaining('`bar`')]);
    expect(found).toEqual(['Appointment/two']);
    const later = await start(served, '/$export?organizeOutputBy=Patient', lenient);
    expect(later.status).toBe(400);
  });

  it('have every version in one of two exports, and deletions in the next', async () => {
    const next = await exported(served, `/$export?_type=Observation&_since=${since}`);
    expect([...next.names].sort()).toEqual(['Observation/a1', 'Observation/a3', 'Observation/b1']);
    expect([...next.deleted].sort()).toEqual(['Observation/a2', 'Observation/none']);
    const ofGroup = await exported(served, `/Group/some/$export?_type=Observation&_since=${since}`);
    expect(ofGroup.deleted).toEqual(['Observation/a2']);
    const ofPatients = await exported(
      served,
      `/Patient/$export?_type=Patient,Observation&_since=${since}&_typeFilter=Observation%3Fstatus%3Dfinal`,
    );
    expect(ofPatients.deleted).toEqual([]);
  });

  it('are of some patients by POST', async () => {
    const of = (...ids: readonly string[]) =>
      ids.map(id => ({ name: 'patient', valueReference: { reference: `Patient/${id}` } }));
    const type = { name: '_type', valueString: 'Patient,Group,Appointment' };
    const one = await exported(served, '/Patient/$export', {}, [type, ...of('a')]);
    expect([...one.names].sort()).toEqual(['Appointment/two', 'Patient/a']);
    expect(one.manifest.request).toBe(`${served.base}/Patient/$export`);
    const member = await exported(served, '/Group/nested/$export', {}, [type, ...of('b')]);
    expect([...member.names].sort()).toEqual(['Appointment/two', 'Patient/b']);
    for (const [path, id] of [
      ['/Group/some/$export', 'b'],
      ['/Patient/$export', 'unknown'],
    ] as const) {
      const refused = await start(served, path, {}, of(id));
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(id)]);
    }
    expect((await start(served, '/$export', {}, of('a'))).status).toBe(400);
  });

  it('have some elements, with those that are mandatory and a tag', async () => {
    const { records } = await exported(served, '/$export?_type=Observation,Patient&_elements=Patient.gender,subject');
    const patientA = records.find(({ id }) => id === 'a');
    expect(patientA).toMatchObject({ gender: 'female', meta: { tag: [{ code: 'SUBSETTED' }] } });
    expect(patientA).not.toHaveProperty('generalPractitioner');
    expect(records.find(({ id }) => id === 'a3')).toMatchObject({
      subject: { reference: 'Patient/a' },
      status: 'final',
    });
  });

  it('have absolute URLs of a Binary, which open with the same token', async () => {
    const { records } = await exported(served, '/Patient/$export?_type=DocumentReference');
    expect(records[0]?.['content'][0].attachment.url).toBe(`${served.base}/Binary/bound`);
  });

  it('answer with a manifest and files that can be continued, and are gone when they are deleted', async () => {
    const { job, manifest } = await exported(served, '/$export?_type=Patient');
    expect(Object.keys(manifest)).toEqual([
      'transactionTime',
      'request',
      'requiresAccessToken',
      'output',
      'deleted',
      'error',
    ]);
    expect(manifest).toMatchObject({
      request: `${served.base}/$export?_type=Patient`,
      requiresAccessToken: false,
      error: [],
    });
    const status = await served.get(job, { Accept: 'application/fhir+json' });
    expect(status.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'private, no-store',
      expires: expect.stringMatching(/GMT$/),
    });
    const path = below(served, manifest.output[0]?.url ?? '');
    const whole = await served.get(path, { Accept: 'application/json' });
    expect(whole.headers).toMatchObject({ 'content-type': 'application/fhir+ndjson', 'accept-ranges': 'bytes' });
    const etag = String(whole.headers.etag);
    const rest = await served.get(path, { Range: 'bytes=10-', 'If-Range': etag, 'Accept-Encoding': 'gzip' });
    expect([rest.status, whole.text.slice(0, 10) + rest.text]).toEqual([206, whole.text]);
    const end = await served.get(path, { Range: 'bytes=-5' });
    expect([end.status, end.text, end.headers['content-range']]).toEqual([
      206,
      whole.text.slice(-5),
      `bytes ${whole.bytes.length - 5}-${whole.bytes.length - 1}/${whole.bytes.length}`,
    ]);
    const zipped = await served.get(path, { 'Accept-Encoding': 'gzip, deflate, br, identity' });
    expect(gunzipSync(zipped.bytes).toString()).toBe(whole.text);
    expect(zipped.headers.etag).not.toBe(etag);
    const other = await served.get(path, { Range: 'bytes=10-', 'If-Range': String(zipped.headers.etag) });
    expect([other.status, other.text]).toEqual([200, whole.text]);
    const behind = await served.get(path, { Range: 'bytes=99999999-' });
    expect([behind.status, behind.headers['content-range']]).toEqual([416, `bytes */${whole.bytes.length}`]);
    expect((await served.ask('HEAD', path)).headers['content-length']).toBe(String(whole.bytes.length));
    expect((await served.get(`${job}/Observation.1.ndjson`)).status).toBe(404);
    expect((await served.ask('DELETE', job)).status).toBe(202);
    for (const one of [job, path]) expect((await served.get(one)).status).toBe(404);
    expect((await served.ask('DELETE', job)).status).toBe(404);
  });

  it('are 202 with a place at once, and never half when they are cancelled', async () => {
    const started = await start(served, '/$export', { Prefer: 'respond-async' });
    const job = below(served, String(started.headers['content-location']));
    expect([started.status, started.text]).toEqual([202, '']);
    expect((await served.ask('DELETE', job)).status).toBe(202);
    expect((await complete(served, job)).status).toBe(404);
  });

  it('are refused in a Bundle', async () => {
    const entry = ['$export', 'Patient/$export', '_jobs/x'].map(url => ({ request: { method: 'GET', url } }));
    const body = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
    const answer = await served.ask('POST', '', { headers: { 'Content-Type': 'application/fhir+json' }, body });
    expect(answer.json.entry.map((one: { response: { status: string } }) => one.response.status.slice(0, 3))).toEqual([
      '400',
      '400',
      '400',
    ]);
  });
});

it.each([
  ['a relative reference', '{"reference":"Practitioner/1"}', true],
  ['an absolute one, whatever its letters', '{"reference":"https://records.example/fhirs/Practitioner/1"}', true],
  ['one with an escape', String.raw`{"reference":"Practitioner\u002f1"}`, true],
  ['another type', '{"reference":"PractitionerRole/1"}', false],
  ['no reference', '{"resourceType":"Practitioner"}', false],
])('the look for supporting records finds %s', (_what, text, is) => {
  expect(mayReferTo(['Practitioner', 'Location'])(text)).toBe(is);
});
