// https://hl7.org/fhir/R4/resource-operation-meta.html and its siblings meta-add and meta-delete
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { observation, patient } from '../../support/resources.ts';
import { put, serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { eventsOf, flags, parameters, post, printed } from './support.ts';

const tag = (code: string, display?: string) => ({
  system: 'http://example.org/tags',
  code,
  ...(display === undefined ? {} : { display }),
});
const label = { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' };
const base = 'http://hl7.org/fhir/StructureDefinition/Patient';
const vitalSigns = 'http://hl7.org/fhir/StructureDefinition/vitalsigns';

const records = [
  patient('p1', { meta: { tag: [tag('a', 'A')], security: [label] } }),
  patient('p2', { meta: { tag: [tag('a'), tag('b')], profile: [base] } }),
  observation('o1', { meta: { tag: [tag('c')] } }),
];

let server: Served;
beforeAll(async () => {
  server = await serve(records, flags);
  await server.partition.write([{ kind: 'remove', type: 'Patient', id: 'gone' }]);
});
afterAll(() => server.close());

const withMeta = (valueMeta: object): object => parameters({ name: 'meta', valueMeta });

describe('$meta', () => {
  it('returns the Meta of a record, with its ETag', async () => {
    const { json, headers, status } = await server.get('/Patient/p1/$meta');
    expect([status, headers.etag]).toEqual([200, 'W/"1"']);
    expect(json).toEqual({
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'return',
          valueMeta: {
            versionId: '1',
            lastUpdated: expect.any(String),
            tag: [{ system: 'http://example.org/tags', code: 'a', display: 'A' }],
            security: [label],
          },
        },
      ],
    });
    expect((await post(server, '/Patient/p1/$meta', parameters())).json).toEqual(json);
  });

  it.each<[string, string, object]>([
    ['a type', '/Patient/$meta', { profile: [base], security: [label], tag: [tag('a', 'A'), tag('b')] }],
    ['the system', '/$meta', { profile: [base], security: [label], tag: [tag('c'), tag('a', 'A'), tag('b')] }],
  ])('returns what the records of %s have, each once', async (_what, path, expected) => {
    const { json, status } = await server.get(path);
    expect([status, json.parameter]).toEqual([200, [{ name: 'return', valueMeta: expected }]]);
  });

  it('returns a Meta of records without labels, since a parameter has a value', async () => {
    const plain = await serve([patient('p1')], flags);
    const { json } = await plain.get('/$meta');
    await plain.close();
    const url = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason';
    const valueMeta = { extension: [{ url, valueCode: 'not-applicable' }] };
    expect(json.parameter).toEqual([{ name: 'return', valueMeta }]);
  });

  it.each<[string, number, string]>([
    ['/Patient/none/$meta', 404, 'not-found'],
    ['/Patient/p1/$meta?x=1', 400, 'not-supported'],
    ['/Condition/$meta', 404, 'not-supported'],
    ['/$metta', 404, 'not-supported'],
  ])('%s is %i', async (path, status, code) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.issue[0].code]).toEqual([status, code]);
  });

  it('is an entry of a batch, also on the system', async () => {
    const plain = await serve(records, [...flags, '--definitions', 'test/fixtures/created-types']);
    const entry = ['$meta', 'Patient/p1/$meta'].map(url => ({ request: { method: 'GET', url } }));
    const { json } = await post(plain, '/', { resourceType: 'Bundle', type: 'batch', entry });
    await plain.close();
    expect(json.entry.map((one: { response: object }) => one.response)).toMatchObject([
      { status: '200' },
      { status: '200', etag: 'W/"1"' },
    ]);
  });
});

describe('a change of the Meta', () => {
  let id = '';
  let count = 0;
  beforeEach(async () => {
    id = `changed-${(count += 1)}`;
    await put(server.partition, [patient(id, { meta: { tag: [tag('a', 'A')] } })]);
  });
  const readMeta = async (): Promise<object> => (await server.get(`/Patient/${id}`)).json.meta;

  it('adds profiles, labels and tags in a new version', async () => {
    const added = { tag: [tag('a', 'other'), tag('b')], security: [label], profile: [base] };
    const { json, status, headers } = await post(server, `/Patient/${id}/$meta-add`, withMeta(added));
    expect([status, headers.etag]).toEqual([200, 'W/"2"']);
    const expected = { versionId: '2', tag: [tag('a', 'A'), tag('b')], security: [label], profile: [base] };
    expect(json.parameter[0].valueMeta).toMatchObject(expected);
    expect(await readMeta()).toMatchObject(expected);
    expect((await server.get(`/Patient/${id}/_history/1`)).json.meta.tag).toHaveLength(1);
  });

  it('removes them, and ignores those that are not there', async () => {
    const path = `/Patient/${id}/$meta-delete`;
    const { json, status } = await post(server, path, withMeta({ tag: [tag('a'), tag('z')], security: [label] }));
    expect([status, json.parameter[0].valueMeta.versionId]).toEqual([200, '2']);
    expect(json.parameter[0].valueMeta).not.toHaveProperty('tag');
    expect(await readMeta()).not.toHaveProperty('tag');
  });

  it('does not make a part of the record', async () => {
    const part = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'SUBSETTED' };
    const answer = await post(server, '/Patient/p1/$meta-add', withMeta({ tag: [part] }));
    expect([answer.status, answer.json.issue[0].expression]).toEqual([422, ['Patient.meta.tag[1]']]);
  });

  it('makes no version if nothing changes', async () => {
    const { headers } = await post(server, `/Patient/${id}/$meta-add`, withMeta({ tag: [tag('a')] }));
    expect(headers.etag).toBe('W/"1"');
  });

  it('leaves the rest of the record as it was written', async () => {
    const extension = '{"url":"http://example.org/x","valueDecimal":1.50}';
    const text = `{"resourceType":"Patient","id":"${id}","extension":[${extension}]}`;
    await put(server.partition, [text]);
    await post(server, `/Patient/${id}/$meta-add`, withMeta({ tag: [tag('b')] }));
    expect((await server.get(`/Patient/${id}`)).text).toContain('"valueDecimal":1.50');
  });

  it('depends on the version that If-Match names', async () => {
    const path = `/Patient/${id}/$meta-add`;
    const tagged = withMeta({ tag: [tag('b')] });
    expect((await post(server, path, tagged, { 'If-Match': 'W/"7"' })).status).toBe(412);
    expect((await post(server, path, tagged, { 'If-Match': 'W/"1"' })).status).toBe(200);
  });

  it('is not lost among others at the same time', async () => {
    const codes = Array.from({ length: 20 }, (_, at) => `at-once-${at}`);
    const answers = await Promise.all(
      codes.map(code => post(server, `/Patient/${id}/$meta-add`, withMeta({ tag: [tag(code)] }))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { tag: tags } = (await readMeta()) as { tag: { code: string }[] };
    expect(tags.map(one => one.code).toSorted()).toEqual(['a', ...codes].toSorted());
  });

  it.each<[string, string, object, number, string]>([
    ['no Meta', '$meta-add', parameters(), 400, 'requires the parameter `meta`'],
    ['another type', '$meta-add', parameters({ name: 'meta', valueString: 'x' }), 400, 'must be of the type Meta'],
    ['a Meta of wrong structure', '$meta-add', withMeta({ tags: [] }), 400, '`tags`'],
    ['an unknown parameter', '$meta-add', parameters({ name: 'metta', valueMeta: {} }), 400, ''],
    ['a profile that is not loaded', '$meta-add', withMeta({ profile: [`${base}x`] }), 200, ''],
    ['a profile of another type', '$meta-add', withMeta({ profile: [vitalSigns] }), 422, 'vitalsigns'],
  ])('with %s', async (_what, operation, body, status, text) => {
    const answer = await post(server, `/Patient/${id}/${operation}`, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(text);
  });

  it('is refused for records that are not there, and by GET', async () => {
    const body = withMeta({ tag: [tag('b')] });
    expect((await post(server, '/Patient/none/$meta-add', body)).status).toBe(404);
    const { status, headers } = await server.get(`/Patient/${id}/$meta-add`);
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });
});

describe('a caller', () => {
  const tokens = testTokens();
  const doctor = { fhirUser: 'Practitioner/d1', scope: '' };
  let guarded: Served;
  beforeAll(async () => {
    guarded = await serve(records, flags, undefined, { verify: tokens.verify });
  });
  afterAll(() => guarded.close());

  it.each<[string, string, string, number]>([
    ['reads the Meta of a record with `r`', 'user/Patient.r', '/Patient/p1/$meta', 200],
    ['not with `s`', 'user/Patient.s', '/Patient/p1/$meta', 403],
    ['reads that of a type with `s`', 'user/Patient.s', '/Patient/$meta', 200],
    ['not with `r`', 'user/Patient.r', '/Patient/$meta', 403],
    ['reads that of the system with any `s`', 'user/Patient.s', '/$meta', 200],
    ['and that of definitions, which each token may search', 'user/Patient.r', '/$meta', 200],
  ])('%s', async (_what, scope, path, status) => {
    expect((await guarded.get(path, tokens.bearer({ ...doctor, scope }))).status).toBe(status);
  });

  it('reads only what belongs to records within its scopes', async () => {
    const own = tokens.bearer({ scope: 'patient/*.rs', patient: 'p1' });
    expect(printed(await guarded.get('/$meta', own))).not.toContain('"b"');
    expect(printed(await guarded.get('/Patient/$meta', own))).not.toContain('"b"');
    expect((await guarded.get('/Patient/p2/$meta', own)).status).toBe(404);
    const ofType = printed(await guarded.get('/$meta', tokens.bearer({ ...doctor, scope: 'user/Patient.rs' })));
    expect(ofType).not.toContain('"c"');
  });

  it('changes it with `u` and a scope that reads it, and is audited', async () => {
    const body = withMeta({ tag: [tag('b')] });
    const path = '/Patient/p1/$meta-add';
    const reading = tokens.bearer({ ...doctor, scope: 'user/Patient.rs' });
    expect((await post(guarded, path, body, reading)).status).toBe(403);
    const blind = tokens.bearer({ ...doctor, scope: 'user/Patient.u' });
    const refused = await post(guarded, path, body, blind);
    expect([refused.status, refused.json.issue[0].diagnostics]).toEqual([403, expect.stringContaining('reads')]);
    const scope = 'user/Patient.u user/Patient.rs';
    const writing = { ...tokens.bearer({ ...doctor, scope }), 'X-Request-Id': 'tagged' };
    expect((await post(guarded, path, body, writing)).status).toBe(200);
    const events = JSON.stringify(await eventsOf(guarded, 'tagged', 2));
    expect(events).toContain('"Patient/p1/_history/2"');
    expect(events).toContain('Begun');
  });
});
