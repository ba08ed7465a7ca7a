// Chains, `_has` and includes, on records that refer to each other: what is found, what is refused, and that every way
// to follow a join finds what the meaning of search says.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countMatches, findPage, type JoinLimits, usualJoinLimits } from '../../src/interaction/search/find.ts';
import { include } from '../../src/interaction/search/include.ts';
import { isCanonical } from '../../src/interaction/search/joined.ts';
import { readAs } from '../../src/model/bare-parameter.ts';
import type { ResourceType } from '../../src/model/model.ts';
import type { Position, Query } from '../../src/search/ast.ts';
import { type ContainedIndexed, type Indexed, matches } from '../../src/search/matches.ts';
import { parseInclude } from '../../src/search/parse/include.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { print } from '../../src/search/print.ts';
import { comparePositions, positionOf } from '../../src/search/sort.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Referred } from '../../src/store/port/records.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { seeded } from '../support/seeded.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { graph } from './graph.ts';

const size = 36;

/** A few records whose names nothing else has. */
const zoe = [
  { resourceType: 'Organization', id: 'zo', name: 'Zenith' },
  { resourceType: 'Practitioner', id: 'zd', name: [{ family: 'Zed' }] },
  {
    resourceType: 'Patient',
    id: 'zp',
    gender: 'female',
    name: [{ family: 'Zoe' }],
    generalPractitioner: [{ reference: 'Practitioner/zd' }],
    managingOrganization: { reference: 'Organization/zo' },
  },
  { resourceType: 'Patient', id: 'zq', gender: 'male', name: [{ family: 'Zoe' }] },
  {
    resourceType: 'Encounter',
    id: 'ze',
    status: 'finished',
    class: { code: 'ZED' },
    subject: { reference: 'Patient/zp' },
  },
  ...['z1', 'z2', 'z3'].map((id, at) => ({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'http://example.org/z', code: ['red', 'blue', 'red'][at] }] },
    effectiveDateTime: `2030-01-0${at + 1}`,
    subject: { reference: at === 2 ? 'Patient/zq' : 'Patient/zp' },
    ...(at === 0 ? { encounter: { reference: 'Encounter/ze' } } : {}),
  })),
  {
    resourceType: 'Questionnaire',
    id: 'zx',
    status: 'active',
    title: 'Zeal',
    url: 'http://example.org/zeal',
    version: '2',
  },
  { resourceType: 'QuestionnaireResponse', id: 'za', status: 'completed', questionnaire: 'http://example.org/zeal|2' },
  { resourceType: 'QuestionnaireResponse', id: 'zb', status: 'completed', questionnaire: 'Questionnaire/zx' },
  { resourceType: 'QuestionnaireResponse', id: 'zc', status: 'completed', questionnaire: 'http://example.org/zeal' },
  // Two versions of one definition, and one without a version.
  ...(['1.0', '2.0', undefined] as const).flatMap((version, at) => {
    const url = 'http://example.org/versions';
    const questionnaire = version === undefined ? url : `${url}|${version}`;
    return [
      { resourceType: 'Questionnaire', id: `v${at}`, status: 'active', title: `Vol ${at}`, url, version },
      { resourceType: 'QuestionnaireResponse', id: `w${at}`, status: 'completed', questionnaire },
    ];
  }),
];

/** Lists of every third record, some of them marked as deleted. */
const lists = [0, 1].map(at => ({
  resourceType: 'List',
  id: `l${at}`,
  status: 'current',
  mode: 'changes',
  entry: Array.from({ length: size }, (_, nr) => ({
    item: { reference: nr % 3 === at ? `Patient/p${nr}` : `Observation/b${nr * (at + 1)}` },
    ...(nr % 5 === 4 ? { deleted: true } : {}),
  })),
}));

let server: Served;
beforeAll(async () => {
  const capability = r4Of([
    'Bundle',
    'Composition',
    'Encounter',
    'Observation',
    'Organization',
    'Patient',
    'Practitioner',
    'Questionnaire',
    'QuestionnaireResponse',
    'Appointment',
    'Condition',
    'Medication',
  ]);
  server = await serve([], ['--capability', capability]);
  await put(server.partition, [...graph(size, server.base), ...zoe, ...lists]);
}, 120_000);
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search: { readonly mode: string };
}
const entries = (json: { readonly entry?: readonly Entry[] }, mode: string): readonly string[] =>
  (json.entry ?? []).flatMap(({ resource, search }) =>
    search.mode === mode ? [`${resource.resourceType}/${resource.id}`] : [],
  );
const matchesIn = (json: { readonly entry?: readonly Entry[] }): readonly string[] =>
  entries(json, 'match').map(one => one.slice(one.indexOf('/') + 1));

describe('a chain', () => {
  it.each([
    ['through a reference', '/Observation?subject:Patient.name=zoe&_sort=_id', ['z1', 'z2', 'z3']],
    ['without the type of its target', '/Observation?subject.name=zoe&_sort=-_id', ['z3', 'z2', 'z1']],
    ['through a parameter with one target', '/Observation?patient.name=zoe&patient.gender=male', ['z3']],
    ['of several steps', '/Observation?encounter.subject:Patient.organization.name=zen', ['z1']],
    ['with a choice of values', '/Encounter?patient.name=zoe,nobody', ['ze']],
    ['with a modifier', '/Patient?general-practitioner:Practitioner.family:exact=Zed', ['zp']],
    ['with `:not`', '/Observation?code=http://example.org/z|&patient.gender:not=male&_sort=_id', ['z1', 'z2']],
    ['with `:missing`', '/Observation?patient.general-practitioner:missing=true&patient.name=zoe', ['z3']],
    ['to an id', '/Encounter?patient._id=zp', ['ze']],
    ['that nothing matches', '/Observation?patient.name=nobody', []],
    ['through a canonical', '/QuestionnaireResponse?questionnaire.title=zeal&_sort=_id', ['za', 'zb', 'zc']],
    [
      'through a canonical with a version, to this version; without one, to any',
      '/QuestionnaireResponse?questionnaire.title=Vol%200&_sort=_id',
      ['w0', 'w2'],
    ],
    [
      'through a canonical, to a definition without a version',
      '/QuestionnaireResponse?questionnaire.title=Vol%202',
      ['w2'],
    ],
    [
      'through a canonical that is an address, to the definition there and those of this url',
      '/QuestionnaireResponse?questionnaire._id=at5&_sort=_id',
      ['at0', 'at1', 'to0'],
    ],
    [
      'through a canonical that is an address elsewhere, by the url',
      '/QuestionnaireResponse?questionnaire._id=at6&_sort=_id',
      ['at0', 'at2'],
    ],
    ['through a canonical, which has no fragment', '/QuestionnaireResponse?questionnaire.title=part', []],
    ['beside other parameters', '/Observation?patient.name=zoe&code=red&date=2030-01-03', ['z3']],
  ])('%s', async (_, path, ids) => {
    const { status, json } = await server.get(path);
    expect([status, matchesIn(json)]).toEqual([200, ids]);
  });

  it('is a form of POST _search too', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { json } = await server.ask('POST', '/Encounter/_search', { headers, body: 'patient.name=zoe' });
    expect(matchesIn(json)).toEqual(['ze']);
  });

  it('is paged and counted', async () => {
    const first = (await server.get('/Observation?patient.name=zoe&_sort=_id&_count=2&_total=accurate')).json;
    expect([first.total, matchesIn(first)]).toEqual([3, ['z1', 'z2']]);
    const next = new URL(first.link[1].url);
    const second = (await server.get(`/Observation${next.search}`)).json;
    expect([matchesIn(second), second.link.length]).toEqual([['z3'], 1]);
    expect((await server.get('/Observation?patient.name=zoe&_summary=count')).json.total).toBe(3);
  });
});

describe('_has', () => {
  it.each([
    ['finds what is referred to', '/Patient?_has:Observation:patient:code=red&name=zoe&_sort=_id', ['zp', 'zq']],
    ['twice is and', '/Patient?_has:Observation:patient:code=red&_has:Observation:patient:code=blue&name=zoe', ['zp']],
    ['nested', '/Practitioner?_has:Patient:general-practitioner:_has:Encounter:patient:class=ZED', ['zd']],
    ['before a chain', '/Patient?_has:Observation:patient:encounter.class=ZED', ['zp']],
    ['behind a chain', '/Encounter?patient._has:Observation:patient:code=blue', ['ze']],
    ['by id', '/Patient?_has:Observation:patient:_id=z3', ['zq']],
    ['that nothing matches', '/Patient?_has:Observation:patient:code=nothing', []],
    ['through a canonical', '/Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=zc', ['zx']],
    ['through a canonical with a version', '/Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=w1', ['v1']],
    [
      'through a canonical without one, to all versions',
      '/Questionnaire?_has:QuestionnaireResponse:questionnaire:_id=w2&_sort=_id',
      ['v0', 'v1', 'v2'],
    ],
  ])('%s', async (_, path, ids) => {
    const { status, json } = await server.get(path);
    expect([status, matchesIn(json)]).toEqual([200, ids]);
  });
});

describe('what leads nowhere is 400, whatever the handling', () => {
  it.each([
    ['/Observation?nothing.name=a', 'nothing.name', '`nothing`'],
    ['/Observation?subject:Patient.nothing=a', 'subject:Patient.nothing', 'Patient has no search parameter `nothing`'],
    ['/Observation?subject:Medication.code=a', 'subject:Medication.code', 'does not refer to Medication'],
    ['/Observation?subject:Nobody.code=a', 'subject:Nobody.code', '`Nobody`'],
    ['/Observation?status.code=a', 'status.code', 'is no reference'],
    ['/Observation?subject.birthdate=yesterday', 'subject.birthdate', '`yesterday`'],
    ['/Observation?subject:Patient.name:foo=a', 'subject:Patient.name:foo', '`:foo`'],
    ['/Observation?patient.=a', 'patient.', 'is no chain'],
    ['/Observation?subject..name=a', 'subject..name', '`subject..name` lacks the name of a search parameter'],
    ['/Observation?patient.name=', 'patient.name', 'has no value'],
    ['/Patient?_has:Observation:patient:code:not=red', '_has:Observation:patient:code:not', 'Use `:missing`'],
    ['/Patient?_has=a', '_has', '`_has:Type:reference:parameter`'],
    ['/Patient?_has:Observation:patient=a', '_has:Observation:patient', '`_has:Type:reference:parameter`'],
    ['/Patient?_has:Observation:code:status=a', '_has:Observation:code:status', 'does not refer to Patient'],
    ['/Patient?_has:Nobody:patient:status=a', '_has:Nobody:patient:status', '`Nobody`'],
    ['/Patient?_has:Observation:patient:nothing=a', '_has:Observation:patient:nothing', '`nothing`'],
    [`/Patient?${'link.'.repeat(9)}name=a`, `${'link.'.repeat(9)}name`, 'more than 8 steps'],
    ['/Patient?_include=Patient', '_include', '`Type:parameter`'],
    ['/Patient?_include=Patient:nothing', '_include', '`Patient:nothing`'],
    ['/Patient?_include=Nobody:subject', '_include', '`Nobody`'],
    ['/Patient?_include:foo=Patient:link', '_include:foo', '`:foo`'],
    ['/Patient?_include=Patient:organization:Medication', '_include', 'does not refer to Medication'],
    ['/Patient?_include=Patient:organization&_summary=text', '_summary', '_summary=text'],
  ])('%s', async (path, name, text) => {
    for (const handling of ['strict', 'lenient']) {
      const { status, json } = await server.get(path, { Prefer: `handling=${handling}` });
      expect([status, json.issue?.[0]?.expression?.[0]]).toEqual([400, `http.${name}`]);
      expect(json.issue[0].diagnostics).toContain(text);
    }
  });

  it('fans out no further than a search may', async () => {
    const pairs = Array.from({ length: 99 }, (_, at) => `subject.organization._has:Patient:organization:name=a${at}`);
    expect((await server.get(`/Encounter?${pairs.join('&')}`)).status).toBe(400);
  });
});

describe('an include', () => {
  it.each([
    ['of a reference', '/Observation?_id=z1&_include=Observation:encounter', ['Encounter/ze']],
    ['of one target', '/Observation?_id=z1&_include=Observation:subject:Patient', ['Patient/zp']],
    ['of another target', '/Observation?_id=z1&_include=Observation:subject:Group', []],
    ['once each', '/Observation?patient.name=zoe&_include=Observation:subject&_sort=_id', ['Patient/zp', 'Patient/zq']],
    ['of all references', '/Observation?_id=z1&_include=*', ['Encounter/ze', 'Patient/zp']],
    ['of all references of a type', '/Observation?_id=z1&_include=Observation:*', ['Encounter/ze', 'Patient/zp']],
    [
      'of what was included',
      '/Observation?_id=z1&_include=Observation:encounter&_include:iterate=Encounter:subject&_include:iterate=Patient:organization',
      ['Encounter/ze', 'Patient/zp', 'Organization/zo'],
    ],
    [
      'of matches alone',
      '/Observation?_id=z1&_include=Observation:encounter&_include=Encounter:subject',
      ['Encounter/ze'],
    ],
    [
      'of what refers to a match',
      '/Patient?_id=zp&_revinclude=Observation:patient',
      ['Observation/z2', 'Observation/z1'],
    ],
    ['of all that refers to a match', '/Patient?_id=zq&_revinclude=*', ['Observation/z3']],
    [
      'of what refers to what was included',
      '/Encounter?_id=ze&_include=Encounter:patient&_revinclude:iterate=Observation:patient',
      ['Patient/zp', 'Observation/z2', 'Observation/z1'],
    ],
    [
      'of a canonical',
      '/QuestionnaireResponse?_id=za&_include=QuestionnaireResponse:questionnaire',
      ['Questionnaire/zx'],
    ],
    [
      'of a canonical with a version',
      '/QuestionnaireResponse?_id=w1&_include=QuestionnaireResponse:questionnaire',
      ['Questionnaire/v1'],
    ],
    [
      'of a canonical that is an address, and the url of several',
      '/QuestionnaireResponse?_id=at0&_include=QuestionnaireResponse:questionnaire',
      ['Questionnaire/at5', 'Questionnaire/at6'],
    ],
    [
      'of a canonical that is an address with a version',
      '/QuestionnaireResponse?_id=at2&_include=QuestionnaireResponse:questionnaire',
      ['Questionnaire/at6'],
    ],
    [
      'of a version that no definition has',
      '/QuestionnaireResponse?_id=at3,to1&_include=QuestionnaireResponse:questionnaire',
      [],
    ],
    [
      'of what refers to one version',
      '/Questionnaire?_id=v1&_revinclude=QuestionnaireResponse:questionnaire',
      ['QuestionnaireResponse/w2', 'QuestionnaireResponse/w1'],
    ],
    ['of no matches', '/Observation?_id=z1&_include=Observation:has-member', []],
  ])('%s', async (_, path, included) => {
    const { status, json } = await server.get(path);
    expect([status, entries(json, 'include')]).toEqual([200, included]);
    expect(entries(json, 'match')).toHaveLength(json.entry.length - included.length);
  });

  it('of all that refers to a match searches only types with references to it', async () => {
    const { model, extract } = server.running.engine;
    const { partition, base } = server;
    const searched: string[] = [];
    const place = {
      id: partition.id,
      settings: partition.settings,
      search: (...[type, search]: Parameters<Partition['search']>) => {
        searched.push(type);
        return partition.search(type, search);
      },
      count: (type: string) => partition.count(type),
      read: (...key: Parameters<Partition['read']>) => partition.read(...key),
      readMany: (keys: Parameters<Partition['readMany']>[0]) => partition.readMany(keys),
      types: (to: Referred) => partition.types(to),
    };
    const type = model.types.get('Patient');
    if (type === undefined) throw new Error('no type');
    const of = parseInclude(type, ['_revinclude', '*'], model);
    const matches = await partition.readMany([{ type: 'Patient', id: 'zq' }]);
    const found = await include(matches, [of], { partition: place, extract, base, model, access: 'open' });
    // A canonical may lead to any record, and stores do not count it as a reference.
    const withCanonicals = new Set(of.links.filter(({ param }) => isCanonical(param)).map(link => link.type.name));
    const others = searched.filter(name => !withCanonicals.has(name));
    expect([found.records.map(({ id }) => id), others]).toEqual([['z3'], ['Observation']]);
  });

  it.each(['Encounter', 'Observation'])('of the owner of each %s is of what its text refers to', async type => {
    const { json } = await server.get(`/${type}?_sort=_id&_count=100&_include=${type}:patient`);
    const texts: string[] = json.entry.map(({ resource }: { resource: object }) => JSON.stringify(resource));
    // Also below our own URL; a record elsewhere with an id of ours is another one.
    const own = texts.flatMap(text => /"subject":\{"reference":"([^"]+)"/.exec(text)?.[1] ?? []);
    const ids = own.map(one => one.replace(`${server.base}/`, '')).filter(one => one.startsWith('Patient/'));
    expect(ids.length).toBeGreaterThan(size / 2);
    expect(entries(json, 'include').toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it('has the elements of its own type that `_elements` names', async () => {
    const path = '/Observation?_id=z1&_include=Observation:subject&_elements=status,gender';
    const { json } = await server.get(path);
    const [observation, patient] = json.entry.map(({ resource }: { resource: object }) => resource);
    expect([observation.status, observation.gender, patient.gender, patient.name]).toEqual([
      'final',
      undefined,
      'female',
      undefined,
    ]);
    const refused = await server.get(path.replace('gender', 'gendre'));
    expect([refused.status, refused.json.issue[0].expression]).toEqual([400, ['http._elements']]);
    expect(refused.json.issue[0].diagnostics).toContain('has a top-level element `gendre`. Did you mean `gender`?');
  });

  it('is not counted, and is as `_elements` and `_summary` ask', async () => {
    const { json } = await server.get(
      '/Observation?_id=z1&_include=Observation:subject&_elements=status&_total=accurate',
    );
    expect([json.total, Object.keys(json.entry[1].resource)]).toEqual([1, ['resourceType', 'id', 'meta']]);
    const count = (await server.get('/Observation?_id=z1&_include=Observation:subject&_summary=count')).json;
    expect([count.total, count.entry]).toEqual([1, undefined]);
  });
});

describe('the ways to follow a join agree with the meaning of search', () => {
  const tiny: readonly (readonly [string, JoinLimits])[] = [
    ['by sets', { smallSet: 10_000, largeSet: 10_000, firstCandidates: 0, read: 0 }],
    ['by candidates', { smallSet: 0, largeSet: 0, firstCandidates: 10_000, read: 1_000_000 }],
    ['by candidates, then by sets', { smallSet: 3, largeSet: 10_000, firstCandidates: 3, read: 1_000_000 }],
    ['as it usually is', usualJoinLimits],
  ];
  const searches = [
    ['Observation', 'subject:Patient.gender=female'],
    ['Observation', 'subject:Patient.gender:not=female'],
    ['Observation', 'encounter.class=AMB,EMER'],
    ['Observation', 'encounter.subject:Patient.family=roy'],
    ['Observation', 'encounter.participant:Practitioner.active=true'],
    ['Observation', 'subject:Patient.general-practitioner:missing=true'],
    ['Observation', 'has-member.code=8480-6'],
    ['Observation', 'subject:Patient._has:Encounter:patient:status=planned'],
    ['Observation', 'code=8480-6'],
    ['Observation', 'date=ge2024-04'],
    ['Patient', '_has:Observation:patient:code=8480-6'],
    ['Patient', '_has:Observation:patient:encounter.class=IMP'],
    ['Patient', '_has:Encounter:patient:_has:Observation:encounter:status=amended'],
    ['Patient', 'organization.name=north,south'],
    ['Patient', 'link.gender=male'],
    ['Patient', 'family=tremblay'],
    ['Encounter', 'part-of.subject:Patient.family=smith'],
    ['Encounter', '_has:Observation:encounter:status=final'],
    ['Encounter', 'status=finished'],
    ['QuestionnaireResponse', 'questionnaire.title=intake'],
    ['Questionnaire', '_has:QuestionnaireResponse:questionnaire:status=completed'],
    ['QuestionnaireResponse', 'subject:Patient.gender=female'],
    ['Observation', 'subject:Patient.family=inner'],
    ['Observation', 'subject:Patient.birthdate=ge1990'],
    ['Observation', 'subject:Patient.organization.name=inside,north'],
    ['Observation', 'encounter.participant:Practitioner.family:contains=o'],
    ['Observation', 'encounter.subject:Patient.gender:not=female'],
    ['Patient', '_has:Encounter:patient:class=INNER'],
    ['Patient', '_has:Encounter:patient:participant:Practitioner.family=inner'],
    ['Practitioner', '_has:Patient:general-practitioner:family=inner'],
    ['Bundle', 'composition.title=report'],
    ['Bundle', 'composition.subject:Patient.gender=female'],
    ['Bundle', 'type=document'],
    ['Observation', '_filter=code ne 8480-6 and (status eq final or not (date lt 2024-04))'],
    ['Observation', '_filter=subject[gender eq female].family ew "ay" or encounter.class ne AMB'],
    ['Patient', '_filter=family eq roy or family ne smith'],
    ['Patient', '_filter=_has:Observation:patient:code ne 8480-6 and general-practitioner pr false'],
    ['Questionnaire', '_filter=url ew l'],
    ['Observation', '_list=l0'],
    ['Observation', 'subject:Patient._list=l0,l1'],
    ['Patient', '_list=l0,l1,nothing'],
    ['Patient', '_has:Observation:patient:_list=l1'],
  ] as const;
  // By parameters without a sort index too.
  const sorts: Readonly<Record<string, readonly string[]>> = {
    Observation: ['date', '-date', 'code,-_id', '-subject', 'value-quantity,status'],
    Patient: ['family', '-birthdate,family'],
    Encounter: ['-class', 'subject'],
  };
  const types = [...new Set(searches.map(([type]) => type))];

  it('in pages and in counts', async () => {
    const { model, extract } = server.running.engine;
    const { partition, base } = server;
    const where = { id: partition.id, zone: partition.settings.zone };
    /** The resources inside of a record, or beside a contained resource, with the parameters that lead to them. */
    const inside = (type: ResourceType, text: string, lastUpdated: number, depth = 0): readonly ContainedIndexed[] => {
      if (depth > 2) return [];
      const { contained = [], entry = [] } = JSON.parse(text) as {
        contained?: { resourceType: string; id: string }[];
        entry?: { resource: { resourceType: string; id: string } }[];
      };
      const params = [...type.parameters.values()].filter(param => param.type === 'reference');
      const only = { ...type, indexed: new Map(params.map(param => [param.code, readAs(param, 'inside')])) };
      const led = extract(only, text, where);
      const first = type.name === 'Bundle' ? entry.slice(0, 1).map(({ resource }) => resource) : [];
      return [...contained, ...first].map(resource => {
        const own = model.types.get(resource.resourceType);
        if (own === undefined) throw new Error(resource.resourceType);
        const whole = JSON.stringify({ ...resource, ...(contained.length > 0 ? { contained } : {}) });
        return {
          type: own.name,
          id: resource.id,
          lastUpdated,
          entries: extract(own, whole, where),
          contained: inside(own, whole, lastUpdated, depth + 1),
          by: led.flatMap(({ param, value }) => {
            const leads = value.kind === 'uri' ? value.uri === resource.id : value.kind === 'string';
            return leads ? [param.replace(':inside', '')] : [];
          }),
        };
      });
    };
    const indexed = new Map<string, readonly Indexed[]>();
    for (const type of model.types.values()) {
      const all: Indexed[] = [];
      for await (const { id, lastUpdated, text = '' } of current(partition, type.name)) {
        all.push({ id, lastUpdated, entries: extract(type, text, where), contained: inside(type, text, lastUpdated) });
      }
      indexed.set(type.name, all);
    }
    const others = { base, of: (type: string): readonly Indexed[] => indexed.get(type) ?? [] };
    const context = { model, base, zone: 'UTC', handling: 'strict', now: Date.now(), joins: true } as const;
    const ofType = (name: string): readonly string[] =>
      searches.flatMap(([type, text]) => (type === name ? [text] : []));
    const search = fc.constantFrom(...types).chain(type =>
      fc.record({
        type: fc.constant(type),
        parts: fc.uniqueArray(fc.constantFrom(...ofType(type)), { minLength: 1, maxLength: 3 }),
        together: fc.constantFrom('and', 'or', 'not'),
        sort: fc.constantFrom('', '_id', '-_id', '-_lastUpdated', ...(sorts[type] ?? [])),
        limit: fc.integer({ min: 4, max: 80 }),
        way: fc.constantFrom(...tiny),
      }),
    );
    await fc.assert(
      fc.asyncProperty(search, async ({ type: name, parts, together, sort, limit, way: [, limits] }) => {
        fc.pre(limits.read > 0 || !parts.some(part => part.startsWith('_filter'))); // no set replaces a filter
        const type = model.types.get(name);
        if (type === undefined) throw new Error(name);
        const each = parts.map(part => parseSearch(type, [part.split('=') as [string, string]], context).query);
        const query: Query =
          together === 'not'
            ? { kind: 'and', of: each.map((of): Query => ({ kind: 'not', of })) }
            : { kind: together === 'or' ? 'or' : 'and', of: each };
        const order = parseSearch(type, sort === '' ? [] : [['_sort', sort]], context).sort;
        const expected = others
          .of(name)
          .filter(resource => matches(query, resource, others))
          .map(resource => positionOf(order, type, resource))
          .sort((a, b) => comparePositions(order, a, b))
          .map(({ id }) => id);
        const ids: string[] = [];
        let after: Position | undefined;
        do {
          const page = await findPage({ type, query, sort: order, limit, after }, { partition, extract, base }, limits);
          ids.push(...page.versions.map(({ id }) => id));
          after = page.next;
        } while (after !== undefined && ids.length <= expected.length);
        const count = await countMatches(type, query, { partition, extract, base }, limits);
        expect([print(query), ids, count]).toEqual([print(query), expected, expected.length]);
      }),
      { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 150), ...seeded },
    );
  }, 300_000);
});

describe('a chain that may lead to any type of R4', () => {
  const records = [
    { resourceType: 'Basic', id: 'b', code: { text: 'x' }, identifier: [{ value: 'sought' }] },
    {
      resourceType: 'Provenance',
      id: 'p',
      target: [{ reference: 'Basic/b' }],
      recorded: '2026-01-01T00:00:00Z',
      agent: [{ who: { display: 'x' } }],
    },
    {
      resourceType: 'Library',
      id: 'l',
      status: 'draft',
      type: { text: 'x' },
      relatedArtifact: [predecessor('a/b.json')],
    },
  ];
  let all: Served;
  beforeAll(async () => {
    all = await serve(records, ['--capability', r4Of(['Basic', 'Provenance', 'Library'])]);
  }, 60_000);
  afterAll(() => all.close());

  it.each([
    ['one step, to all of them', '/Provenance?target.identifier=sought', ['p']],
    ['one step, to none', '/Provenance?target.identifier=other', []],
    ['a canonical by the relative text that it is', '/Library?predecessor=a/b.json', ['l']],
  ])('%s', async (_, path, ids) => {
    const { status, json } = await all.get(path);
    const found = (json.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id);
    expect([status, found]).toEqual([200, ids]);
  });
});

function predecessor(resource: string): object {
  return { type: 'predecessor', resource };
}
