// Definitions that are records apply in their partition: each row of a section of the reference has a case of its name.
// https://hl7.org/fhir/R4/conformance-module.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { startServer } from '../support/processes/start.ts';
import { requireModel } from '../support/loaded-once.ts';

const fhirJson = { 'content-type': 'application/fhir+json' };
const types = [
  'CodeSystem',
  'ConceptMap',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'Questionnaire',
  'ValueSet',
];
const capability = r4Of([...types, 'SearchParameter', 'StructureDefinition']);

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', capability]);
  await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
});
afterAll(() => server.close());

type Resource = { readonly resourceType: string; readonly id: string; readonly [name: string]: unknown };

const put = (resource: Resource, partition = '') =>
  server.ask('PUT', `${partition}/${resource.resourceType}/${resource.id}`, {
    headers: fhirJson,
    body: JSON.stringify(resource),
  });
/** Stores a definition, and requires that it is accepted. */
async function stored(resource: Resource, partition = ''): Promise<void> {
  const { status, text } = await put(resource, partition);
  expect([status, text.slice(0, 500)]).toEqual([
    expect.toSatisfy((one: number) => one === 200 || one === 201),
    expect.any(String),
  ]);
}
const remove = (path: string) => server.ask('DELETE', path);
const issuesOf = ({ json }: Answer): string => JSON.stringify(json.issue);

const codes = (id: string, list: readonly string[], more: object = {}): Resource => ({
  resourceType: 'CodeSystem',
  id,
  url: `http://example.org/${id}`,
  status: 'active',
  content: 'complete',
  concept: list.map(code => ({ code, display: `The ${code}` })),
  ...more,
});
const set = (id: string, include: readonly object[], more: object = {}): Resource => ({
  resourceType: 'ValueSet',
  id,
  url: `http://example.org/${id}`,
  status: 'draft',
  compose: { include },
  ...more,
});
const parameter = (id: string, expression: string, more: object = {}): Resource => ({
  resourceType: 'SearchParameter',
  id,
  url: `http://example.org/${id}`,
  name: id.replaceAll('-', ''),
  description: 'Of a test.',
  status: 'active',
  code: id,
  base: ['Patient'],
  type: 'token',
  expression,
  ...more,
});
const profile = (id: string, elements: readonly object[], more: object = {}): Resource => ({
  resourceType: 'StructureDefinition',
  id,
  url: `http://example.org/${id}`,
  name: id.replaceAll('-', ''),
  status: 'draft',
  kind: 'resource',
  abstract: false,
  type: 'Patient',
  baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
  derivation: 'constraint',
  differential: { element: elements },
  ...more,
});
/** A differential that changes nothing. */
const root = [{ id: 'Patient', path: 'Patient' }];
const expand = async (url: string, partition = ''): Promise<unknown> => {
  const { json } = await server.get(`${partition}/ValueSet/$expand?url=${encodeURIComponent(url)}`);
  return json.expansion?.contains?.map(({ code }: { code: string }) => code) ?? json.issue[0].code;
};
const idsOf = async (path: string): Promise<unknown> => {
  const answer = await server.get(path);
  if (answer.status !== 200) return answer.status;
  return (answer.json.entry ?? []).map(({ resource }: { resource: Resource }) => resource.id).sort();
};
/** Searches once the indexes are complete. */
async function found(path: string): Promise<unknown> {
  await expect
    .poll(() => server.get(path).then(({ status }) => status), { timeout: 50_000, interval: 100 })
    .not.toBe(503);
  return idsOf(path);
}

describe('which definition applies', () => {
  it('at once, by each request after the answer', async () => {
    expect(await expand('http://example.org/set-1')).toBe('not-found');
    await stored(codes('system-1', ['a', 'b']));
    await stored(set('set-1', [{ system: 'http://example.org/system-1' }]));
    for (const _ of [1, 2]) expect(await expand('http://example.org/set-1')).toEqual(['a', 'b']);
    await stored(codes('system-1', ['a', 'c']));
    for (const _ of [1, 2]) expect(await expand('http://example.org/set-1')).toEqual(['a', 'c']);
    const { json } = await server.get('/ValueSet/set-1/$expand');
    expect(json.expansion.total).toBe(2);
  }, 30_000);
  it('in its partition only', async () => {
    const other = '//r4/other';
    expect(await expand('http://example.org/set-1', other)).toBe('not-found');
    await stored(codes('system-1', ['x']), other);
    await stored(set('set-1', [{ system: 'http://example.org/system-1' }]), other);
    expect(await expand('http://example.org/set-1', other)).toEqual(['x']);
    expect(await expand('http://example.org/set-1')).toEqual(['a', 'c']);
  }, 30_000);
  it('a canonical without version is the latest, part by part as numbers; with one it is exact', async () => {
    for (const version of ['1.9.0', '1.10.0'])
      await stored(
        set(
          `versions-${version.replaceAll('.', '-')}`,
          [{ system: 'http://example.org/system-1', concept: [{ code: version === '1.9.0' ? 'a' : 'c' }] }],
          {
            url: 'http://example.org/versions',
            version,
          },
        ),
      );
    expect(await expand('http://example.org/versions')).toEqual(['c']);
    expect(await expand('http://example.org/versions|1.9.0')).toEqual(['a']);
  }, 30_000);
  it('after a deletion or a change of url the former canonical is unknown, and the next latest steps in', async () => {
    await remove('/ValueSet/versions-1-10-0');
    expect(await expand('http://example.org/versions')).toEqual(['a']);
    await stored(set('versions-1-9-0', [{ system: 'http://example.org/system-1' }], { version: '1.9.0' }));
    expect(await expand('http://example.org/versions')).toBe('not-found');
    expect(await expand('http://example.org/versions-1-9-0')).toEqual(['a', 'c']);
  }, 30_000);
  it('a stored one goes before a shipped one of the same url where no version is named', async () => {
    const url = 'http://hl7.org/fhir/ValueSet/administrative-gender';
    await stored(set('gender', [{ system: 'http://example.org/system-1' }], { url, version: '0.1' }));
    expect(await expand(url)).toEqual(['a', 'c']);
    expect(await expand(`${url}|4.0.1`)).toEqual(['male', 'female', 'other', 'unknown']);
    // The bindings of R4 name the version of R4.
    await stored({ resourceType: 'Patient', id: 'bound', gender: 'female' });
    expect((await put({ resourceType: 'Patient', id: 'unbound', gender: 'a' })).status).toBe(422);
    await remove('/ValueSet/gender');
  }, 30_000);
  it('shipped ones are fixed', async () => {
    const fixed = [
      set('shipped', [{ system: 'http://example.org/system-1' }], {
        url: 'http://hl7.org/fhir/ValueSet/administrative-gender',
        version: '4.0.1',
      }),
      profile('shipped', root, { url: 'http://hl7.org/fhir/StructureDefinition/Patient', version: '9' }),
      parameter('shipped', 'Patient.active', { url: 'http://hl7.org/fhir/SearchParameter/Patient-active' }),
    ];
    for (const one of fixed) {
      const answer = await put(one);
      expect(answer.status).toBe(409);
      expect(issuesOf(answer)).toContain('definition of this server');
    }
  }, 30_000);
  it('a second record of one type, url and version is refused', async () => {
    const answer = await put(codes('copy', ['z'], { url: 'http://example.org/system-1' }));
    expect(answer.status).toBe(409);
    expect(answer.json.issue[0]).toMatchObject({ code: 'duplicate', expression: ['CodeSystem.url'] });
    expect(issuesOf(answer)).toContain('CodeSystem/system-1');
  }, 30_000);
  it('nothing applies of a failed transaction, and all of one after its commit', async () => {
    const entry = (resource: Resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    });
    const post = (entries: readonly Resource[]) =>
      server.ask('POST', '', {
        headers: fhirJson,
        body: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry: entries.map(entry) }),
      });
    const both = [codes('together', ['t']), set('of-together', [{ system: 'http://example.org/together' }])];
    const bad = { resourceType: 'Patient', id: 'bad', gender: 'no' };
    expect((await post([...both, bad])).status).toBe(422);
    for (const _ of [1, 2]) expect(await expand('http://example.org/of-together')).toBe('not-found');
    expect((await post(both)).status).toBe(200);
    for (const _ of [1, 2]) expect(await expand('http://example.org/of-together')).toEqual(['t']);
  }, 30_000);
  it('status: a draft or retired SearchParameter is not used, other drafts are', async () => {
    await stored(parameter('a-draft', 'Patient.name.text', { status: 'draft', type: 'string' }));
    await stored(parameter('retired', 'Patient.name.text', { status: 'retired', type: 'string' }));
    for (const code of ['a-draft', 'retired']) expect(await idsOf(`/Patient?${code}=x`)).toBe(400);
  }, 30_000);
  it('records that are stored stay as they are: a new profile is applied to writes and $validate', async () => {
    const claims = { resourceType: 'Patient', id: 'claims', meta: { profile: ['http://example.org/born'] } };
    await stored(claims);
    await stored(profile('born', [{ id: 'Patient.birthDate', path: 'Patient.birthDate', min: 1 }]));
    expect((await server.get('/Patient/claims')).status).toBe(200);
    for (const _ of [1, 2]) {
      const refused = await put({ ...claims, active: true });
      expect([refused.status, refused.json.issue[0].expression]).toEqual([422, ['Patient.birthDate']]);
    }
    const validated = await server.ask('POST', '/Patient/$validate?profile=http://example.org/born', {
      headers: fhirJson,
      body: JSON.stringify({ resourceType: 'Patient' }),
    });
    expect(issuesOf(validated)).toContain('http://example.org/born');
    await remove('/StructureDefinition/born');
    await stored({ ...claims, active: true });
  }, 30_000);
  it('what depends on a changed CodeSystem changes too: a binding of a stored profile', async () => {
    const binding = { strength: 'required', valueSet: 'http://example.org/set-1' };
    const path = 'Patient.maritalStatus';
    await stored(profile('status', [{ id: path, path, min: 1, binding }]));
    const of = (code: string): Resource => ({
      resourceType: 'Patient',
      id: 'bound-to-set',
      meta: { profile: ['http://example.org/status'] },
      maritalStatus: { coding: [{ system: 'http://example.org/system-1', code }] },
    });
    await stored(of('c'));
    expect((await put(of('d'))).status).toBe(422);
    await stored(codes('system-1', ['a', 'd']));
    await stored(of('d'));
    expect((await put(of('c'))).status).toBe(422);
  }, 30_000);
});

describe('a search parameter', () => {
  beforeAll(async () => {
    await stored({ resourceType: 'Organization', id: 'clinic', name: 'Clinic' });
    await stored({
      resourceType: 'Patient',
      id: 'shoes',
      extension: [
        { url: 'http://example.org/shoe', valueDecimal: 43.5 },
        { url: 'http://example.org/home', valueReference: { reference: 'Organization/clinic' } },
        { url: 'http://example.org/seen', valueDateTime: '2024-05-06' },
        { url: 'http://example.org/kind', valueCoding: { system: 'http://example.org/system-1', code: 'a' } },
        { url: 'http://example.org/web', valueUri: 'http://example.org/me' },
        {
          url: 'http://example.org/weight',
          valueQuantity: { value: 70, system: 'http://unitsofmeasure.org', code: 'kg' },
        },
      ],
      name: [{ text: 'Ann Roy' }],
    });
    await stored({ resourceType: 'Patient', id: 'barefoot', name: [{ text: 'Bo' }] });
    const value = (name: string) => `Patient.extension.where(url = 'http://example.org/${name}').value`;
    await stored(parameter('shoe', value('shoe'), { type: 'number' }));
    await stored(parameter('home', value('home'), { type: 'reference', target: ['Organization'] }));
    await stored(parameter('seen', value('seen'), { type: 'date' }));
    await stored(parameter('kind', value('kind')));
    await stored(parameter('web', value('web'), { type: 'uri' }));
    await stored(parameter('weight', value('weight'), { type: 'quantity' }));
    await stored(parameter('called', 'Patient.name.text', { type: 'string' }));
    await stored(
      parameter('worth', 'Observation.issued | Patient.birthDate', { base: ['Observation', 'Patient'], type: 'date' }),
    );
    await stored(
      parameter('pair', 'Patient', {
        type: 'composite',
        component: [
          { definition: 'http://example.org/kind', expression: value('kind').replace('Patient.', '') },
          { definition: 'http://example.org/shoe', expression: value('shoe').replace('Patient.', '') },
        ],
      }),
    );
  }, 60_000);

  it('is written, then indexing with 503 incomplete and Retry-After, then active; other searches go on', async () => {
    const answer = await server.get('/Patient?shoe=43.5');
    const isIndexing = answer.status === 503;
    expect([200, 503]).toContain(answer.status);
    expect(isIndexing ? answer.json.issue[0].code : 'incomplete').toBe('incomplete');
    expect(isIndexing ? answer.headers['retry-after'] : '1').toMatch(/^\d+$/u);
    expect(await idsOf('/Patient?_id=shoes')).toEqual(['shoes']);
    expect(await found('/Patient?shoe=43.5')).toEqual(['shoes']);
  }, 60_000);

  const searches: readonly (readonly [path: string, ids: readonly string[]])[] = [
    ['/Patient?shoe=gt40', ['shoes']],
    ['/Patient?shoe=lt40', []],
    ['/Patient?home=Organization/clinic', ['shoes']],
    ['/Patient?home.name=Clinic', ['shoes']],
    ['/Organization?_has:Patient:home:kind=a', ['clinic']],
    ['/Patient?home=Organization/clinic&_include=Patient:home', ['clinic', 'shoes']],
    ['/Organization?_id=clinic&_revinclude=Patient:home', ['clinic', 'shoes']],
    ['/Patient?seen=2024-05', ['shoes']],
    ['/Patient?seen=ge2025', []],
    ['/Patient?kind=http://example.org/system-1|a', ['shoes']],
    ['/Patient?kind:in=http://example.org/set-1', ['shoes']],
    ['/Patient?kind:missing=false', ['shoes']],
    ['/Patient?web=http://example.org/me', ['shoes']],
    ['/Patient?weight=70|http://unitsofmeasure.org|kg', ['shoes']],
    ['/Patient?called=ann', ['shoes']],
    ['/Patient?called:exact=Bo', ['barefoot']],
    ['/Patient?_filter=shoe gt 40', ['shoes']],
    ['/Patient?pair=a$43.5', ['shoes']],
    ['/Patient?pair=a$50', []],
  ];
  it.each(searches)(
    'finds %s',
    async (path, ids) => {
      expect(await found(encodeURI(path).replaceAll('|', '%7C'))).toEqual(ids);
    },
    60_000,
  );

  it('sorts', async () => {
    const { json } = await server.get('/Patient?_id=shoes,barefoot&_sort=-shoe');
    expect(json.entry.map(({ resource }: { resource: Resource }) => resource.id)).toEqual(['shoes', 'barefoot']);
  });

  it('has entries of records that are written afterwards, and not of former versions', async () => {
    await stored({ resourceType: 'Patient', id: 'later', birthDate: '2001-02-03' });
    expect(await found('/Patient?worth=2001-02-03')).toEqual(['later']);
    await stored({ resourceType: 'Patient', id: 'later', birthDate: '2002-02-03' });
    expect(await found('/Patient?worth=2001-02-03')).toEqual([]);
  });

  it('is in /metadata with its url, in its partition only', async () => {
    const of = async (partition: string): Promise<unknown> => {
      const { json } = await server.get(`${partition}/metadata`);
      const patient = json.rest[0].resource.find(({ type }: { type: string }) => type === 'Patient');
      return patient.searchParam.find(({ name }: { name: string }) => name === 'shoe');
    };
    expect(await of('')).toMatchObject({ definition: 'http://example.org/shoe', type: 'number' });
    expect(await of('//r4/other')).toBeUndefined();
    expect(await idsOf('//r4/other/Patient?shoe=1')).toBe(400);
  });

  it('says by $status how far it is', async () => {
    const status = async (id: string): Promise<readonly [string, unknown][]> => {
      const { json } = await server.get(`/SearchParameter/${id}/$status`);
      type Part = { readonly name: string; readonly valueCode?: string; readonly valueInteger?: number };
      return json.parameter.map(({ name, valueCode, valueInteger }: Part) => [name, valueCode ?? valueInteger]);
    };
    const total = (await server.get('/Patient?_summary=count')).json.total;
    await expect
      .poll(() => status('shoe'), { timeout: 50_000 })
      .toEqual([['status', 'active'], ['done', total], ['total', total]]); // prettier-ignore
    expect(await status('a-draft')).toContainEqual(['status', 'ignored']);
    expect((await server.get('/SearchParameter/nothing/$status')).status).toBe(404);
  }, 60_000);

  it('says in /metadata and in OpenAPI that it is indexing, and not when it is done', async () => {
    await stored(parameter('slow', 'Patient.name.given', { type: 'string' }));
    const texts = async () => [(await server.get('/metadata')).text, (await server.get('/openapi.json')).text];
    const isBusy = async (): Promise<boolean> => {
      const { json } = await server.get('/SearchParameter/slow/$status');
      return json.parameter[0].valueCode === 'indexing';
    };
    const [before, saying, after] = [await isBusy(), await texts(), await isBusy()];
    const isSaid = saying.map(text => text.includes('Its index is being built'));
    expect(before && after ? isSaid : [true, true]).toEqual([true, true]);
    await expect.poll(isBusy, { timeout: 50_000 }).toBe(false);
    for (const text of await texts()) {
      expect(text).toContain('slow');
      expect(text).not.toContain('Its index is being built');
    }
  }, 60_000);

  it('is in the form of the explorer', async () => {
    const { text } = await server.get('//explorer/demo/types/Patient');
    expect(text).toContain('<code>shoe</code>');
  });

  it('is gone at once when it is deleted or not active; stored again it is indexed again', async () => {
    await remove('/SearchParameter/web');
    for (const _ of [1, 2]) expect(await idsOf('/Patient?web=http://example.org/me')).toBe(400);
    await stored(parameter('web', "Patient.extension.where(url = 'http://example.org/web').value", { type: 'uri' }));
    expect(await found('/Patient?web=http://example.org/me')).toEqual(['shoes']);
  }, 60_000);

  it('is indexed again after a change of its expression, and not after one of its description', async () => {
    await stored(parameter('called', 'Patient.name.text', { type: 'string', description: 'Other words.' }));
    expect(await idsOf('/Patient?called=ann')).toEqual(['shoes']);
    await stored(parameter('called', 'Patient.name.family', { type: 'string' }));
    expect(await found('/Patient?called=ann')).toEqual([]);
  }, 60_000);

  const refused: readonly (readonly [why: string, resource: Resource, text: string])[] = [
    ['a code that the type has', parameter('other-gender', 'Patient.gender', { code: 'gender' }), 'already'],
    ['a code that a stored one has', parameter('other-shoe', 'Patient.gender', { code: 'shoe' }), 'already'],
    ['a control parameter', parameter('control', 'Patient.gender', { code: '_mine' }), '_mine'],
    ['FHIRPath that does not parse', parameter('unparsed', 'Patient.name.where('), 'expression'],
    ['an element that does not exist', parameter('missing', 'Patient.shoeSize'), 'shoeSize'],
    [
      'a type that its elements cannot have',
      parameter('wrong-type', 'Patient.birthDate', { type: 'quantity' }),
      'quantity',
    ],
    ['an unknown base', parameter('based', 'Patient.name', { base: ['Person2'] }), 'Person2'],
    [
      'a component that is unknown',
      parameter('parts', 'Patient', {
        type: 'composite',
        component: [
          { definition: 'http://example.org/none', expression: 'name' },
          { definition: 'http://example.org/shoe', expression: 'name' },
        ],
      }),
      'http://example.org/none',
    ],
    [
      'derivedFrom is no exception',
      parameter('derived', 'Patient.gender', {
        code: 'gender',
        derivedFrom: 'http://hl7.org/fhir/SearchParameter/individual-gender',
      }),
      'already',
    ],
  ];
  it.each(refused)('is refused: %s', async (_, resource, text) => {
    const answer = await put(resource);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(issuesOf(answer)).toContain(text);
  });
});

describe('a profile', () => {
  const wrong: readonly (readonly [why: string, resource: Resource, text: string])[] = [
    ['an unknown element', profile('unknown', [{ id: 'Patient.shoe', path: 'Patient.shoe' }]), 'shoe'],
    [
      'FHIRPath that cannot be parsed',
      profile('unparsed', [
        {
          id: 'Patient',
          path: 'Patient',
          constraint: [{ key: 'p-1', severity: 'error', human: 'No.', expression: 'name.where(' }],
        },
      ]),
      'p-1',
    ],
    ['wider than its base', profile('wider', [{ id: 'Patient.active', path: 'Patient.active', max: '*' }]), 'active'],
    [
      'an unknown base',
      profile('baseless', root, { baseDefinition: 'http://example.org/nobody' }),
      'http://example.org/nobody',
    ],
    ['a cycle', profile('cycle', root, { baseDefinition: 'http://example.org/cycle' }), 'cycle'],
  ];
  it.each(wrong)('is refused with 422: %s', async (_, resource, text) => {
    const answer = await put(resource);
    expect([answer.status, issuesOf(answer)]).toEqual([422, expect.stringContaining(text)]);
  });

  it('has a snapshot by $snapshot, of a record, of the server and of the call', async () => {
    await stored(profile('named', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }]));
    const post = (definition: Resource) =>
      server.ask('POST', '/StructureDefinition/$snapshot', { headers: fhirJson, body: JSON.stringify(definition) });
    const answers = [
      await server.get('/StructureDefinition/named/$snapshot'),
      await server.get('/StructureDefinition/$snapshot?url=http://example.org/named'),
      await post(profile('sent', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }])),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      const name = json.snapshot.element.find(({ id }: { id: string }) => id === 'Patient.name');
      expect(name).toMatchObject({ min: 1, max: '*' });
    }
    expect((await server.get('/StructureDefinition/$snapshot?url=http://example.org/none')).status).toBe(404);
    expect((await post(profile('bad', root, { baseDefinition: 'http://example.org/none' }))).status).toBe(422);
  });

  it('is named by $validate', async () => {
    const { json } = await server.ask('POST', '/Patient/$validate?profile=http://example.org/named', {
      headers: fhirJson,
      body: JSON.stringify({ resourceType: 'Patient', name: [{ family: 'Roy' }] }),
    });
    expect(JSON.stringify(json)).toContain('http://example.org/named');
    const unknown = await server.ask('POST', '/Patient/$validate?profile=http://example.org/none', {
      headers: fhirJson,
      body: JSON.stringify({ resourceType: 'Patient' }),
    });
    expect(issuesOf(unknown)).toContain('http://example.org/none');
  });

  it('whose base is deleted later is no 500', async () => {
    await stored(profile('base', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }]));
    await stored(profile('derived', root, { baseDefinition: 'http://example.org/base' }));
    const claims = { resourceType: 'Patient', id: 'derives', meta: { profile: ['http://example.org/derived'] } };
    expect((await put(claims)).status).toBe(422);
    await remove('/StructureDefinition/base');
    expect((await put(claims)).status).toBeLessThan(500);
  });

  it('is a supportedProfile without a restart', async () => {
    const { json } = await server.get('/metadata');
    const patient = json.rest[0].resource.find(({ type }: { type: string }) => type === 'Patient');
    expect(patient.supportedProfile).toContain('http://example.org/status');
  });
});

describe('a code system', () => {
  const wrong: readonly (readonly [why: string, resource: Resource, text: string])[] = [
    ['two concepts of one code (csd-1)', codes('twice', ['a', 'a']), 'twice'],
    [
      'a cycle of parents',
      codes('circle', [], {
        property: [{ code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' }],
        concept: [
          { code: 'a', property: [{ code: 'parent', valueCode: 'b' }] },
          { code: 'b', property: [{ code: 'parent', valueCode: 'a' }] },
        ],
      }),
      'its own parent',
    ],
    ['a value set that includes itself', set('itself', [{ valueSet: ['http://example.org/itself'] }]), 'itself'],
  ];
  it.each(wrong)('is refused: %s', async (_, resource, text) => {
    const answer = await put(resource);
    expect([answer.status, issuesOf(answer)]).toEqual([422, expect.stringContaining(text)]);
  });
});

describe('after a restart', () => {
  it('what is stored applies, and a search by a stored parameter is answered', async () => {
    await server.running.close();
    const flags = [
      '--port',
      '0',
      '--store',
      server.store,
      '--log',
      'off',
      '--access',
      'open',
      '--authorization-server',
      'off',
    ];
    const again = await startServer(readConfig([...flags, '--capability', capability]), undefined, {
      load: requireModel,
    });
    const get = async (path: string) => (await fetch(`${again.url}/r4/demo${path}`)).json();
    try {
      expect(await get('/ValueSet/$expand?url=http://example.org/set-1')).toMatchObject({ expansion: { total: 2 } });
      expect(await get('/Patient?shoe=43.5')).toMatchObject({ entry: [{ resource: { id: 'shoes' } }] });
    } finally {
      await again.close();
    }
  });
});
