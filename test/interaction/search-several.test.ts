// Searches of several types: of the whole system, and of compartments. https://hl7.org/fhir/R4/http.html#search
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAll } from '../../src/interaction/search/find-all.ts';
import type { SearchedPartition } from '../../src/interaction/search/joined.ts';
import { searchedBy } from '../../src/interaction/search/searched.ts';
import { parsePairs } from '../../src/search/parse/pairs.ts';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';

const observation = (id: string, patient: string, more: object = {}): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { coding: [{ system: 'http://loinc.org', code: '718-7' }] },
  subject: { reference: patient },
  effectiveDateTime: '2024-01-01',
  ...more,
});

// Some have the same id in two types; some dates are the same too.
const records = (base: string): readonly object[] => [
  { resourceType: 'Patient', id: 'a', gender: 'female', name: [{ family: 'Roy' }], meta: { tag: [{ code: 'x' }] } },
  { resourceType: 'Patient', id: 'b', link: [{ type: 'seealso', other: { reference: 'Patient/a' } }] },
  observation('a', 'Patient/a', { meta: { tag: [{ code: 'x' }] } }),
  observation('o2', `${base}/Patient/a`, { effectiveDateTime: '2024-03-01', status: 'amended' }),
  observation('o3', 'Patient/b'),
  observation('o4', 'Group/a', { performer: [{ reference: 'Patient/a' }] }),
  {
    resourceType: 'Condition',
    id: 'a',
    subject: { reference: 'Patient/a' },
    recordedDate: '2024-02-01',
    code: { coding: [{ code: '718-7' }] },
  },
  { resourceType: 'Condition', id: 'c2', subject: { reference: 'Patient/c' }, recordedDate: '2024-02-01' },
  {
    resourceType: 'Encounter',
    id: 'e1',
    status: 'finished',
    class: { code: 'AMB' },
    subject: { reference: 'Patient/b' },
    participant: [{ individual: { reference: 'Practitioner/d' } }],
    meta: { tag: [{ code: 'x' }] },
  },
  { resourceType: 'Practitioner', id: 'd', name: [{ family: 'Ng' }] },
  { resourceType: 'Medication', id: 'm', status: 'active' },
];

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly resource: {
      readonly resourceType: string;
      readonly id: string;
      readonly meta: { readonly lastUpdated: string };
    };
    readonly search: { readonly mode: string };
  }[];
}

const found = ({ entry = [] }: Bundle, mode = 'match'): string =>
  entry
    .filter(({ search }) => search.mode === mode)
    .map(({ resource }) => `${resource.resourceType}/${resource.id}`)
    .join(' ');

/** The order of records, named as `Type/id`, by the times that an answer shows; equal ones keep their order. */
function byTimeIn({ entry = [] }: Bundle): (a: string, b: string) => number {
  const times = new Map(
    entry.map(({ resource: { resourceType, id, meta } }) => [`${resourceType}/${id}`, meta.lastUpdated]),
  );
  return (a, b) => (times.get(a) ?? '').localeCompare(times.get(b) ?? '');
}

const textOf = (json: { issue: { details?: { text: string }; diagnostics?: string }[] }): string | undefined =>
  json.issue[0]?.details?.text ?? json.issue[0]?.diagnostics;

const medicine = ['Condition', 'Encounter', 'Medication', 'Observation', 'Patient', 'Practitioner'];
const capability = r4Of([...medicine, 'Group', 'Organization', 'Bundle', 'Slot', 'GraphDefinition']);

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', capability]);
  await put(server.partition, records(server.base));
}, 120_000);
afterAll(() => server.close());

/** Three types with the same ids, whose other sort values have another order. */
const alike = ['a', 'b', 'c'].flatMap((id, at) => {
  const code = (one: number): object => ({ coding: [{ code: `${(at + one) % 3}` }] });
  const subject = { reference: 'Patient/a' };
  return [
    { resourceType: 'Observation', id, status: 'final', code: code(0), subject },
    { resourceType: 'DiagnosticReport', id, status: at === 1 ? 'amended' : 'registered', code: code(1), subject },
    {
      resourceType: 'MedicationRequest',
      id,
      status: at === 0 ? 'active' : 'stopped',
      intent: 'order',
      medicationCodeableConcept: code(2),
      subject,
    },
  ];
});

let sharing: Served;
beforeAll(async () => {
  const types = ['DiagnosticReport', 'MedicationRequest', 'Observation', 'Patient'];
  sharing = await serve([], ['--capability', r4Of(types)]);
  for (const record of alike) await put(sharing.partition, [record]);
}, 120_000);
afterAll(() => sharing.close());

const rows: readonly (readonly [rule: string, path: string, search: string, finds: string])[] = [
  ['the types in `_type`', '', '_type=Practitioner,Patient&_sort=_id', 'Patient/a Patient/b Practitioner/d'],
  [
    'all types without it; equal ids are ordered by type',
    '',
    '_sort=_id&_id=a,d,m',
    'Condition/a Observation/a Patient/a Practitioner/d Medication/m',
  ],
  ['a parameter of all types', '', '_tag=x&_sort=-_id', 'Encounter/e1 Observation/a Patient/a'],
  [
    'parameters that the named types share',
    '',
    '_type=Observation,Condition&code=718-7&patient=Patient/a&_sort=_id',
    'Condition/a Observation/a Observation/o2',
  ],
  [
    'a sort key that the named types share',
    '',
    '_type=Observation,Condition&_sort=code,-_id&_id=a,o3,c2',
    'Observation/o3 Condition/a Observation/a Condition/c2',
  ],
  ['sorted by `_lastUpdated` and `_id`', '', '_type=Patient,Condition&_sort=_lastUpdated,_id&_id=a,b', ''],
  ['one type', '', '_type=Medication', 'Medication/m'],
  ['chains, from types that have them', '', '_type=Observation,Condition&subject:Patient.family=roy&_sort=_id', ''],
  ['of one type in a compartment', 'Patient/a/Observation', '_sort=_id', 'Observation/a Observation/o2 Observation/o4'],
  ['with parameters', 'Patient/a/Observation', 'status=amended', 'Observation/o2'],
  [
    'all types of a compartment, with its own resource',
    'Patient/a/*',
    '_sort=_id',
    'Condition/a Observation/a Patient/a Patient/b Observation/o2 Observation/o4',
  ],
  ['of a compartment, the types in `_type`', 'Patient/a/*', '_type=Condition,Patient&_sort=-_id', ''],
  ['of the compartment of another type', 'Practitioner/d/*', '_sort=_id', 'Practitioner/d Encounter/e1'],
  ['nothing in the compartment of a record that does not exist', 'Patient/none/*', '_sort=_id', ''],
  ['records that refer to one that does not exist', 'Patient/c/Condition', '', 'Condition/c2'],
];
const expected: Readonly<Record<string, string>> = {
  'sorted by `_lastUpdated` and `_id`': 'Condition/a Patient/a Patient/b',
  'chains, from types that have them': 'Condition/a Observation/a Observation/o2',
  'of a compartment, the types in `_type`': 'Patient/b Condition/a Patient/a',
};

describe('a search of several types', () => {
  it.each(rows)('finds %s', async (rule, path, search, finds) => {
    const place = path === '' ? '' : `/${path}`;
    const { status, json } = await server.get(`${place}?${search}`);
    const named = (expected[rule] ?? finds).split(' ').filter(one => one !== '');
    // A store may write the types of a load one after another.
    const wanted = search.includes('_lastUpdated') ? named.toSorted(byTimeIn(json as Bundle)) : named;
    expect([status, found(json)]).toEqual([200, wanted.join(' ')]);
    for (const { fullUrl, resource } of (json as Bundle).entry ?? [])
      expect(fullUrl).toBe(`${server.base}/${resource.resourceType}/${resource.id}`);

    const walked: string[] = [];
    let next: string | undefined = `${place}?${search}&_count=1&_total=accurate`;
    while (next !== undefined && walked.length < 20) {
      const page: Bundle = (await server.get(next)).json;
      expect(page.total).toBe(wanted.length);
      if (found(page) !== '') walked.push(found(page));
      const link = page.link.find(({ relation }) => relation === 'next');
      next = link?.url.slice(server.base.length);
      expect(next ?? `${place}?_page_token=`).toContain(`${place}?_page_token=`);
    }
    expect(walked).toEqual(wanted);

    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const posted = await server.ask('POST', `${place}/_search`, { headers, body: search });
    expect([posted.status, found(posted.json)]).toEqual([200, wanted.join(' ')]);
  });

  it.each([
    '_id',
    '-_id',
    '_id,-_lastUpdated',
    '_id,status',
    '_id,-status',
    '-_id,status',
    '-_id,-status',
    'status,_id',
    '-status,-_id',
    '-status,-_id,code',
    'status,_id,-code',
    'status,-_id,-code',
    '-patient,_id,-status,code',
  ])('of types that share ids finds each match once, page by page, in the order %s', async order => {
    const search = `?_type=DiagnosticReport,MedicationRequest,Observation&_sort=${order}`;
    const all = found((await sharing.get(`${search}&_count=100`)).json).split(' ');
    expect([all.length, new Set(all).size]).toEqual([9, 9]);
    for (const count of [1, 2, 3, 4]) {
      const walked: string[] = [];
      let next: string | undefined = `${search}&_count=${count}`;
      while (next !== undefined && walked.length < 20) {
        const page: Bundle = (await sharing.get(next)).json;
        if (found(page) !== '') walked.push(...found(page).split(' '));
        next = page.link.find(({ relation }) => relation === 'next')?.url.slice(sharing.base.length);
      }
      expect([count, walked]).toEqual([count, all]);
    }
  });

  it('of many types reads only those that have records', async () => {
    const { engine } = server.running;
    const read: string[] = [];
    const { id, settings } = server.partition;
    const partition: SearchedPartition = {
      id,
      settings,
      search: (...[type, search]) => {
        read.push(type);
        return server.partition.search(type, search);
      },
      count: (...[type, query]) => {
        read.push(type);
        return server.partition.count(type, query);
      },
      read: (...key) => server.partition.read(...key),
      readMany: keys => server.partition.readMany(keys),
      types: referringTo => server.partition.types(referringTo),
    };
    const place = {
      partition,
      extract: engine.extract,
      base: server.base,
      model: engine.model,
      access: 'open',
    } as const;
    const path = { access: 'open', base: server.base, resourceType: undefined, compartment: undefined } as const;
    const context = { model: engine.model, base: server.base, zone: 'UTC', handling: 'strict', now: 0, joins: true };
    const asked = searchedBy(engine.model, path).parse(
      parsePairs('_total=accurate&_count=100'),
      context as Parameters<ReturnType<typeof searchedBy>['parse']>[1],
    );
    expect(asked.length).toBeGreaterThan(medicine.length);
    const { page, counted } = await findAll(asked, { ...place, deadline: 60_000 });
    expect([page.versions.length, counted.total]).toEqual([11, 11]);
    expect([...new Set(read)].toSorted()).toEqual(medicine);
  });

  it('of all types of a compartment is posted without the `*` too', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { json } = await server.ask('POST', '/Practitioner/d/_search', { headers, body: '_sort=_id' });
    expect(found(json)).toBe('Practitioner/d Encounter/e1');
  });

  it('is newest first by the date of each type without `_sort`', async () => {
    // No type of this interface has a sort date.
    const all = ((await server.get('/Patient/a/*?_type=Condition,Observation')).json as Bundle).entry ?? [];
    const times = all.map(({ resource }) => resource.meta.lastUpdated);
    expect(times).toEqual(times.toSorted().toReversed());
    const { json } = await server.get('/Patient/a/*?_type=Condition,Observation&_count=2');
    expect(json.entry).toEqual(all.slice(0, 2));
    expect(all.length).toBe(4);
  });

  it('has the path in its self link, and the slash after the base URL is not needed', async () => {
    const self = async (path: string): Promise<string> => (await server.get(path)).json.link[0].url;
    expect(await self('?_type=Medication')).toBe(`${server.base}?_type=Medication`);
    expect(await self('/?_type=Medication')).toBe(`${server.base}?_type=Medication`);
    expect(await self('/Patient/a/*?_count=3')).toBe(`${server.base}/Patient/a/*?_count=3`);
    expect(await self('/Patient/a/Observation')).toBe(`${server.base}/Patient/a/Observation`);
  });

  it('takes includes and the form of the answer as other searches do', async () => {
    const included = (await server.get('/Patient/b/*?_type=Encounter&_include=Encounter:practitioner')).json;
    expect([found(included), found(included, 'include')]).toEqual(['Encounter/e1', 'Practitioner/d']);
    const both = (await server.get('?_type=Patient,Encounter&_id=e1,b&_include=Encounter:subject&_sort=_id')).json;
    expect([found(both), found(both, 'include')]).toEqual(['Patient/b Encounter/e1', '']);
    const parts = (await server.get('/Patient/a/*?_type=Patient,Observation&_id=a&_elements=id')).json;
    const properties = parts.entry.map(({ resource }: { resource: object }) => Object.keys(resource).join(' '));
    expect(properties).toEqual(['resourceType id meta status code', 'resourceType id meta']);
    // `gender` is an element of one of the types.
    const one = (await server.get('/Patient/a/*?_type=Patient,Observation&_id=a&_elements=gender')).json;
    const genders = one.entry.map(({ resource }: { resource: { gender?: string } }) => resource.gender !== undefined);
    expect([genders, one.link[0].url]).toEqual([[false, true], expect.stringContaining('_elements=gender')]);
    expect((await server.get('/Patient/a/*?_type=Patient,Observation&_elements=gendre')).status).toBe(400);
    expect((await server.get('/Patient/a/*?_type=Patient,Observation&_elements=')).status).toBe(400);
    expect((await server.get('/Patient/a/*?_summary=count')).json).toMatchObject({ total: 6 });
  });

  it('takes the token of a page at its own path only', async () => {
    const { json } = await server.get('/Patient/a/*?_count=1');
    const token = new URL(json.link[1].url).search;
    for (const path of ['', '/Patient/b/*', '/Patient/a/Observation', '/Observation'])
      expect((await server.get(`${path}${token}`)).status).toBe(400);
    expect((await server.get(`/Patient/a/*${token}`)).status).toBe(200);
  });

  it('is an entry of a batch too', async () => {
    const urls = ['?_type=Medication', 'Patient/a/*?_summary=count', 'Patient/a/Condition'];
    const body = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [...urls.map(url => ['GET', url]), ['POST', '_search']].map(([method, url]) => ({
        request: { method, url },
      })),
    };
    const headers = { 'Content-Type': 'application/fhir+json' };
    const { json } = await server.ask('POST', '', { headers, body: JSON.stringify(body) });
    const parts = json.entry as readonly {
      readonly response: { readonly status: string };
      readonly resource: Bundle;
    }[];
    expect(parts.map(({ response }) => response.status)).toEqual(['200', '200', '200', '404']);
    expect([parts[0] && found(parts[0].resource), parts[1]?.resource.total]).toEqual(['Medication/m', 6]);
    expect(parts[2] && found(parts[2].resource)).toBe('Condition/a');
  });

  it.each([
    ['a type that does not exist', '?_type=Patient,Obsrvation', 400, '`Obsrvation` in `_type` is no type'],
    ['an empty type', '?_type=Patient,', 400, '`_type` has no value'],
    ['`_type` twice', '?_type=Patient&_type=Encounter', 400, '`_type` is repeated'],
    ['a modifier of `_type`', '?_type:not=Patient', 400, 'The modifier `:not` is not supported on `_type`'],
    ['`_type` in a search of one type', '/Patient?_type=Patient', 400, '`_type` is not supported'],
    ['a parameter that one type lacks', '?_type=Patient,Observation&gender=male', 400, 'Observation has no search'],
    ['a sort key that one type lacks', '?_type=Patient,Observation&_sort=gender', 400, 'Observation cannot be sorted'],
    [
      'a sort key with values of two kinds',
      '?_type=Slot,GraphDefinition&_sort=start',
      400,
      '`start` has values of different kinds in GraphDefinition and Slot: sort by another parameter',
    ],
    ['an unknown parameter', '/Patient/a/*?nmae=x', 400, 'has no search parameter `nmae`'],
    ['a type outside of the compartment', '/Patient/a/*?_type=Medication', 400, 'in the compartment of a Patient'],
    ['the path of such a type', '/Patient/a/Medication', 404, 'cannot be searched in the compartment of a Patient'],
    ['the path of an unknown type', '/Patient/a/Obsrvation', 404, 'is not a resource type of FHIR R4'],
    ['a type without a compartment', '/Organization/a/Patient', 404, 'Nothing exists under this path'],
    ['an id that cannot be', '/Patient/a_b/*', 404, 'Nothing exists under this path'],
  ])('refuses %s', async (_, path, status, text) => {
    const answer = await server.get(path);
    expect([answer.status, textOf(answer.json)]).toEqual([status, expect.stringContaining(text)]);
  });

  it.each([
    ['PUT', '/Patient/a/*', 'GET, HEAD'],
    ['POST', '/Patient/a/Observation', 'GET, HEAD'],
    ['PUT', '/Patient/a/_search', 'GET, HEAD, POST'],
    ['PUT', '/Patient/a/Observation/_search', 'GET, HEAD, POST'],
  ])('answers %s %s with 405', async (method, path, allowed) => {
    const { status, headers } = await server.ask(method, path);
    expect([status, headers['allow']]).toEqual([405, allowed]);
  });

  it('leaves out a parameter that one of the types lacks under lenient handling, for all of them', async () => {
    const headers = { Prefer: 'handling=lenient' };
    const { json } = await server.get('?_type=Patient,Practitioner&gender=female&_sort=_id', headers);
    expect(found(json)).toBe('Patient/a');
    expect(json.link[0].url).toContain('gender=female');
    const other = (await server.get('?_type=Patient,Observation&gender=female&_sort=_id&_id=a', headers)).json;
    expect([found(other), found(other, 'outcome')]).toEqual(['Observation/a Patient/a', 'OperationOutcome/undefined']);
    expect(other.link[0].url).not.toContain('gender');
  });

  it('is in the statement', async () => {
    const [rest] = (await server.get('/metadata')).json.rest;
    expect(rest.interaction).toContainEqual({ code: 'search-system' });
    expect(rest.compartment).toContain('http://hl7.org/fhir/CompartmentDefinition/patient');
    expect(rest.searchParam.map(({ name }: { name: string }) => name)).toContain('_type');
  });
});

describe('the interface that declares neither', () => {
  let plain: Served;
  beforeAll(async () => {
    plain = await serve();
  });
  afterAll(() => plain.close());

  it.each([
    ['GET', '?_type=Patient', 405],
    ['GET', '/', 405],
    ['POST', '/_search', 405],
    ['GET', '/Patient/a/Observation', 404],
    ['GET', '/Patient/a/*', 404],
    ['POST', '/Patient/a/_search', 404],
    ['POST', '/Patient/a/Observation/_search', 404],
  ])('answers %s %s as any path that is not supported', async (method, path, status) => {
    expect((await plain.ask(method, path)).status).toBe(status);
  });

  it('does not list them', async () => {
    const [rest] = (await plain.get('/metadata')).json.rest;
    expect([rest.interaction, rest.compartment]).toEqual([undefined, undefined]);
  });
});
