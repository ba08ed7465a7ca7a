// Definitions that clients store may make their own requests fail, never the server, another partition or a start.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

const types = ['CodeSystem', 'ConceptMap', 'Patient', 'Practitioner', 'Organization', 'ValueSet'];
let server: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', r4Of([...types, 'SearchParameter', 'StructureDefinition'])]);
});
afterAll(() => server.close());

type Resource = { readonly resourceType: string; readonly id: string; readonly [name: string]: unknown };

const send = (method: string, path: string, body: object) =>
  server.ask(method, path, { headers: { 'content-type': 'application/fhir+json' }, body: JSON.stringify(body) });
const put = (resource: Resource) => send('PUT', `/${resource.resourceType}/${resource.id}`, resource);
const url = (id: string) => `http://example.org/${id}`;
const set = (id: string, ...include: readonly object[]): Resource => ({
  resourceType: 'ValueSet',
  id,
  url: url(id),
  status: 'active',
  compose: { include },
});
const system = (id: string, concept: readonly object[]): Resource => ({
  resourceType: 'CodeSystem',
  id,
  url: url(id),
  status: 'active',
  content: 'complete',
  concept,
});
const parameter = (id: string, expression: string): Resource => ({
  resourceType: 'SearchParameter',
  id,
  url: url(id),
  name: 'Bounded',
  description: 'Of a test.',
  status: 'active',
  code: id,
  base: ['Patient'],
  type: 'string',
  expression,
});
const profile = (id: string, base: string): Resource => ({
  resourceType: 'StructureDefinition',
  id,
  url: url(id),
  name: 'Bounded',
  status: 'active',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: base,
  derivation: 'constraint',
  differential: { element: [{ id: 'Patient', path: 'Patient' }] },
});
const expand = (id: string) => server.get(`/ValueSet/$expand?url=${url(id)}`);

describe('a stored definition is bounded', () => {
  it('60 sets that each import the next twice are evaluated once each', async () => {
    await put(system('few', [{ code: 'a' }]));
    const entry = Array.from({ length: 60 }, (_, at) => ({
      resource:
        at === 59
          ? set('s59', { system: url('few') })
          : set(`s${at}`, { valueSet: [url(`s${at + 1}`)] }, { valueSet: [url(`s${at + 1}`)] }),
      request: { method: 'PUT', url: `ValueSet/s${at}` },
    }));
    expect((await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200);
    expect((await expand('s0')).json.expansion).toMatchObject({ total: 1, contains: [{ code: 'a' }] });
    const is = await server.get(`/ValueSet/$validate-code?url=${url('s0')}&system=${url('few')}&code=a`);
    expect(is.json.parameter).toContainEqual({ name: 'result', valueBoolean: true });
  });

  it('nesting of concepts is refused beyond what JSON may nest', async () => {
    let concept: object = { code: 'leaf' };
    for (let depth = 0; depth < 2_000; depth += 1) concept = { code: `c${depth}`, concept: [concept] };
    expect((await put(system('deep', [concept]))).status).toBe(400);
  });

  it('a regular expression that backtracks ends', async () => {
    await put(system('long', [{ code: `${'a'.repeat(60)}!` }]));
    await put(set('backtracks', { system: url('long'), filter: [{ property: 'code', op: 'regex', value: '(a+)+$' }] }));
    const { status } = await expand('backtracks');
    expect([200, 422]).toContain(status);
  });

  it('sets that import each other are refused', async () => {
    expect((await put(set('one', { valueSet: [url('two')] }))).status).toBe(201);
    expect((await put(set('two', { valueSet: [url('one')] }))).status).toBe(422);
  });

  it('profiles that are based on each other are refused', async () => {
    await put(profile('first', 'http://hl7.org/fhir/StructureDefinition/Patient'));
    expect((await put(profile('second', url('first')))).status).toBe(201);
    expect((await put(profile('first', url('second')))).status).toBe(422);
  });

  it('maps that lead to each other end', async () => {
    const map = (id: string, other: string): Resource => ({
      resourceType: 'ConceptMap',
      id,
      url: url(id),
      status: 'active',
      sourceUri: url('s0'),
      targetUri: url('s0'),
      group: [
        {
          source: url('few'),
          target: url('few'),
          element: [{ code: 'b' }],
          unmapped: { mode: 'other-map', url: url(other) },
        },
      ],
    });
    await put(map('there', 'back'));
    await put(map('back', 'there'));
    const { status } = await server.get(`/ConceptMap/$translate?url=${url('there')}&system=${url('few')}&code=a`);
    expect([200, 422]).toContain(status);
  });

  it('an expression whose time is not bounded is refused', async () => {
    const { status, json } = await put(
      parameter('slow', 'Patient.descendants().where(%resource.descendants().exists()).id'),
    );
    expect([status, json.issue[0].expression]).toEqual([422, ['SearchParameter.expression']]);
  });

  it('the number of parameters of a type is limited', async () => {
    const entry = Array.from({ length: 50 }, (_, at) => ({
      resource: parameter(`p${at}`, 'Patient.name.family'),
      request: { method: 'PUT', url: `SearchParameter/p${at}` },
    }));
    expect((await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200);
    expect((await put(parameter('p50', 'Patient.name.family'))).status).toBe(422);
    const gone = entry.map(({ request }) => ({ request: { ...request, method: 'DELETE' } }));
    expect((await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry: gone })).status).toBe(200);
  });

  it('a body is refused beyond the limit', async () => {
    expect((await put(system('large', [{ code: 'a', display: 'x'.repeat(1_100_000) }]))).status).toBe(413);
  });

  it('what no longer compiles is ignored, and the rest applies', async () => {
    const broken = [
      parameter('broken', 'Patient.name.where('),
      profile('baseless', url('nobody')),
      set('itself', { valueSet: [url('itself')] }),
      { resourceType: 'ValueSet', id: 'odd', url: 7, compose: [] },
      { resourceType: 'StructureDefinition', id: 'odd', url: url('odd'), differential: 'none' },
    ] as readonly Resource[];
    const { running } = server;
    const partition = await running.engine.store.partition('demo');
    for (const one of broken) {
      const { resourceType: type, id } = one;
      await partition?.write([{ kind: 'put', type, id, text: splitForStamp(JSON.stringify(one), id) }]);
    }
    expect((await server.get('/SearchParameter/broken/$status')).json.parameter[0].valueCode).toBe('ignored');
    expect((await server.get('/Patient?broken=a')).status).toBe(400);
    expect((await expand('itself')).status).toBe(422);
    expect((await expand('s0')).status).toBe(200);
    expect((await server.get('/metadata')).status).toBe(200);
    const claims = { resourceType: 'Patient', id: 'a', meta: { profile: [url('baseless'), url('odd')] } };
    expect((await put(claims)).status).toBeLessThan(500);
  });
});
