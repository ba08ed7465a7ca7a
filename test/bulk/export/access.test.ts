// What a token may export, and who may have it: scopes of systems, their criteria, clients and partitions.
// https://hl7.org/fhir/uv/bulkdata/STU2/export.html#security-considerations
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyOfR4 } from '../../support/r4-of.ts';
import { put, serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { clinician, testTokens } from '../../support/tokens.ts';
import { below, complete, exportFolder, exported, start } from './support.ts';

const observation = (id: string, status: string, code = 'open') => ({
  resourceType: 'Observation',
  id,
  status,
  code: { coding: [{ system: 'urn:s', code }] },
  subject: { reference: 'Patient/p' },
});

/** Nothing that any of these exports may show. */
const plant = 'plant';

describe('the access of exports', () => {
  let served: Served;
  let since: string;
  const tokens = testTokens();
  const of = (scope: string, more: object = {}) => tokens.bearer({ scope, client: 'backend', ...more });
  const all = of('system/*.rs');

  beforeAll(async () => {
    const types = onlyOfR4(['Patient', 'Group', 'Observation', 'Encounter', 'Practitioner', 'Provenance']);
    served = await serve([], ['--capability', types, ...exportFolder(), '--export-jobs', '100'], undefined, {
      verify: tokens.verify,
    });
    await served.running.engine.store.partitions.add('other', { zone: 'UTC' });
    await put(served.partition, [
      {
        resourceType: 'Patient',
        id: 'p',
        gender: 'female',
        generalPractitioner: [{ reference: `Practitioner/${plant}` }],
      },
      { resourceType: 'Patient', id: plant, gender: 'male' },
      observation('o', 'final'),
      observation('later', 'final'),
      observation(plant, 'final', plant),
      observation(`${plant}2`, 'final', plant),
      { resourceType: 'Practitioner', id: plant },
      {
        resourceType: 'Encounter',
        id: plant,
        status: 'finished',
        class: { code: 'AMB' },
        subject: { reference: 'Patient/p' },
      },
      {
        resourceType: 'Provenance',
        id: plant,
        recorded: '2024-01-01T00:00:00Z',
        target: [{ reference: `Observation/${plant}` }],
        agent: [{ who: { reference: 'Patient/p' } }],
      },
      {
        resourceType: 'Group',
        id: 'g',
        type: 'person',
        actual: true,
        code: { coding: [{ system: 'urn:s', code: 'open' }] },
        member: [{ entity: { reference: 'Patient/p' } }],
      },
      {
        resourceType: 'Group',
        id: plant,
        type: 'person',
        actual: true,
        code: { coding: [{ system: 'urn:s', code: plant }] },
        member: [{ entity: { reference: 'Patient/p' } }],
      },
    ]);
    since = (await exported(served, '/$export?_type=Practitioner', all)).manifest.transactionTime;
    await served.partition.write(['later', `${plant}2`].map(id => ({ kind: 'remove', type: 'Observation', id })));
  });
  afterAll(() => served.close());

  it.each<[why: string, scope: string, path: string, names: readonly string[]]>([
    ['the types of the scopes, without _type', 'system/Observation.rs?code=urn:s|open', '/$export', ['Observation/o']],
    [
      'scopes of version 1',
      'system/*.read',
      '/$export?_type=Observation&_typeFilter=Observation%3Fcode%3Durn:s|open',
      ['Observation/o'],
    ],
    [
      'criteria, at patient level',
      'system/Observation.rs?code=urn:s|open system/Patient.rs?gender=female',
      '/Patient/$export',
      ['Observation/o', 'Patient/p'],
    ],
    [
      'criteria, in a Group',
      'system/Observation.rs?code=urn:s|open system/Patient.rs?gender=female system/Group.r?code=urn:s|open',
      '/Group/g/$export',
      ['Group/g', 'Observation/o', 'Patient/p'],
    ],
    [
      'no Provenance about a record outside of them',
      'system/Observation.rs?code=urn:s|open system/Provenance.rs',
      '/Patient/$export',
      ['Observation/o'],
    ],
    [
      'system scopes only, among others',
      'system/Patient.rs?gender=female user/*.rs patient/*.rs',
      '/$export',
      ['Patient/p'],
    ],
  ])('covers %s', async (_why, scope, path, expected) => {
    const found = await exported(served, path, of(scope, clinician));
    expect([...found.names].sort()).toEqual(expected);
    expect(JSON.stringify(found.manifest)).not.toContain(plant);
  });

  it('covers deletions by the last version before them', async () => {
    const path = `/$export?_type=Observation&_since=${since}`;
    expect([...(await exported(served, path, all)).deleted].sort()).toEqual([
      'Observation/later',
      `Observation/${plant}2`,
    ]);
    const some = await exported(served, path, of('system/Observation.rs?code=urn:s|open'));
    expect([some.deleted, some.names]).toEqual([['Observation/later'], []]);
  });

  it.each<[why: string, scope: string, path: string, status: number]>([
    ['user scopes', 'user/*.rs', '/$export', 403],
    ['patient scopes', 'patient/*.rs', '/Patient/$export', 403],
    ['search without read', 'system/Patient.s', '/Patient/$export', 403],
    ['no scope', '', '/$export', 403],
    ['a type without a scope', 'system/Patient.rs', '/$export?_type=Patient,Observation', 403],
    ['a Group without a scope for it', 'system/Patient.rs', '/Group/g/$export', 403],
    ['an unknown Group', 'system/*.rs', '/Group/none/$export', 404],
    [
      'a Group outside of the criteria',
      'system/Patient.rs system/Group.rs?code=urn:s|open',
      `/Group/${plant}/$export`,
      404,
    ],
    [
      'associated data without a scope',
      'system/Patient.rs',
      '/$export?includeAssociatedData=LatestProvenanceResources',
      403,
    ],
    ['a chain', 'system/Observation.rs', '/$export?_typeFilter=Observation%3Fpatient.gender%3Dmale', 400],
  ])('refuses %s', async (_why, scope, path, status) => {
    const answer = await start(served, path, of(scope, { ...clinician, patient: 'p' }));
    expect([answer.status, answer.json.resourceType]).toEqual([status, 'OperationOutcome']);
    expect(answer.text.replaceAll(`/${plant}`, '').replaceAll(`\`${plant}\``, '')).not.toContain(plant);
  });

  it('is needed for each request, and is that of the client and the partition of the job', async () => {
    const scope = 'system/Observation.rs?code=urn:s|open system/Patient.rs';
    expect((await start(served, '/$export')).status).toBe(401);
    const { job, manifest } = await exported(served, '/$export', of(scope));
    expect(manifest.requiresAccessToken).toBe(true);
    const ofType = (type: string): string => below(served, manifest.output.find(one => one.type === type)?.url ?? '');
    const [patients, observations] = [ofType('Patient'), ofType('Observation')];
    const asks = async (path: string, headers: object) => (await served.get(path, { ...headers })).status;
    for (const path of [job, patients]) {
      expect(await asks(path, {})).toBe(401);
      expect(await asks(path, of(scope, { client: 'another' }))).toBe(404);
      expect(await asks(path, of(scope, { issuer: 'https://another.example' }))).toBe(404);
      expect(await asks(path, of(scope))).toBe(200);
      expect(await asks(path, all)).toBe(200);
      expect(await asks(`//r4/other${path}`, of(scope, { partition: 'other' }))).toBe(404);
      expect(await asks(path, of('user/*.rs', clinician))).toBe(403);
    }
    expect(await asks(job, of('system/Patient.rs'))).toBe(403);
    expect(await asks(patients, of('system/Patient.rs'))).toBe(200);
    expect(await asks(patients, of('system/Patient.rs?gender=female'))).toBe(403);
    expect(await asks(observations, of('system/Patient.rs'))).toBe(403);
    expect((await served.ask('DELETE', job, { headers: of(scope, { client: 'another' }) })).status).toBe(404);
    expect((await served.ask('DELETE', job, { headers: of('system/Patient.rs') })).status).toBe(403);
    expect(await asks(job, of(scope))).toBe(200);
    expect((await served.ask('DELETE', job, { headers: of(scope) })).status).toBe(202);
    expect((await complete(served, job, of(scope))).status).toBe(404);
  });
});

describe('the unfinished exports of a client', () => {
  it('are at most as many as the setting says: one more is 429', async () => {
    const tokens = testTokens();
    const flags = [
      '--capability',
      onlyOfR4(['Patient']),
      ...exportFolder(),
      '--export-jobs',
      '2',
      '--export-free',
      '0',
    ];
    const served = await serve([], flags, undefined, { verify: tokens.verify });
    const of = (client: string) => tokens.bearer({ scope: 'system/*.rs', client });
    // No process works on them, so that they stay unfinished.
    const { jobs } = served.running.engine;
    if (jobs === undefined) throw new Error('There are no jobs');
    const owner = { partition: 'demo', issuer: 'https://issuer.example', client: 'backend' };
    for (const kind of ['other', 'another']) await jobs.records.start({ kind, owner, task: {} }, 2);
    const refused = await start(served, '/$export', of('backend'));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30']);
    expect((await start(served, '/$export', of('others'))).status).toBe(202);
    await served.close();
  });
});
