// `_contained` and `_containedType`. https://hl7.org/fhir/R4/search.html#contained
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supersetOf } from '../../src/interaction/search/candidates.ts';
import { containedPage } from '../../src/interaction/search/contained-page.ts';
import { countMatches, findPage } from '../../src/interaction/search/find.ts';
import { searchedBy } from '../../src/interaction/search/searched.ts';
import type { Position, Query } from '../../src/search/ast.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { containerRequests } from '../../src/search/parse/contained.ts';
import { parsePairs } from '../../src/search/parse/pairs.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { print } from '../../src/search/print.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

const capability = r4Of([
  'Medication',
  'Practitioner',
  'MedicationRequest',
  'MedicationStatement',
  'Organization',
  'Patient',
  'Condition',
  'Observation',
]);

const coded = (code: string) => ({ coding: [{ system: 'http://codes.example', code }] });
const medication = (id: string, code: string, status?: string) => ({
  resourceType: 'Medication',
  id,
  code: coded(code),
  ...(status === undefined ? {} : { status }),
});
const prescription = (id: string, patient: string, ...contained: readonly object[]): object => ({
  resourceType: 'MedicationRequest',
  id,
  status: 'active',
  intent: 'order',
  subject: { reference: `Patient/${patient}` },
  medicationReference: { reference: '#m' },
  ...(contained.length === 0 ? {} : { contained }),
});

/** The decimal of `r2` has a zero at its end, which an answer keeps. */
const dose =
  '{"resourceType":"MedicationRequest","id":"r2","status":"active","intent":"order",' +
  '"subject":{"reference":"Patient/p1"},"contained":[' +
  '{"resourceType":"Medication","id":"m","status":"active","code":{"coding":[{"code":"b"}]},' +
  '"amount":{"numerator":{"value":1.50}}},{"resourceType":"Medication","id":"n","status":"inactive",' +
  '"code":{"coding":[{"system":"http://codes.example","code":"a"}]}}]}';

const records = [
  medication('m', 'a', 'active'),
  medication('plain', 'b'),
  {
    ...medication('kit', 'k', 'active'),
    contained: [medication('part', 'a', 'active'), { resourceType: 'Organization', id: 'o', name: 'North' }],
  },
  prescription('r1', 'p1', medication('m', 'a', 'active')),
  dose,
  prescription('r3', 'p2', medication('m', 'c')),
  prescription('r4', 'p2'),
  {
    resourceType: 'MedicationStatement',
    id: 's1',
    status: 'active',
    subject: { reference: 'Patient/p2' },
    contained: [medication('x', 'a', 'inactive')],
  },
];

const tokens = testTokens();
let server: Served;
let guarded: Served;
beforeAll(async () => {
  server = await serve(records, ['--capability', capability]);
  guarded = await serve(records, ['--capability', capability], undefined, { verify: tokens.verify });
}, 120_000);
afterAll(async () => {
  await server.close();
  await guarded.close();
});

interface Found {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly {
    readonly fullUrl: string;
    readonly resource: { readonly resourceType: string; readonly id: string };
    readonly search: { readonly mode: string };
  }[];
}
/** The matches by their URL below the base. */
const urlsIn = ({ entry = [] }: Found, { base } = server): string =>
  entry
    .filter(({ search }) => search.mode === 'match')
    .map(({ fullUrl }) => fullUrl.slice(base.length + 1))
    .join(' ');

const both = 'Medication?_contained=both&_sort=_id';
const contained = 'Medication?_contained=true&_sort=_id';
const alone = `${contained}&_containedType=contained`;

describe('_contained', () => {
  it.each([
    ['nothing that is contained without it', 'Medication?_sort=_id', 'Medication/kit Medication/m Medication/plain'],
    [
      'nothing that is contained by `false`',
      'Medication?_contained=false&_sort=_id',
      'Medication/kit Medication/m Medication/plain',
    ],
    [
      'the containers of contained resources',
      contained,
      'Medication/kit MedicationRequest/r1 MedicationRequest/r2 MedicationRequest/r3 MedicationStatement/s1',
    ],
    [
      'those that match',
      `${contained}&code=a`,
      'Medication/kit MedicationRequest/r1 MedicationRequest/r2 MedicationStatement/s1',
    ],
    ['all parameters by one contained resource', `${contained}&code=b&status=active`, 'MedicationRequest/r2'],
    ['no two of them', `${contained}&code=http://codes.example|a&status=active`, 'Medication/kit MedicationRequest/r1'],
    [
      'a complement within each',
      `${contained}&status:not=active`,
      'MedicationRequest/r2 MedicationRequest/r3 MedicationStatement/s1',
    ],
    ['a missing element', `${contained}&status:missing=true`, 'MedicationRequest/r3'],
    [
      'an id within the container',
      `${contained}&_id=m`,
      'MedicationRequest/r1 MedicationRequest/r2 MedicationRequest/r3',
    ],
    [
      'both',
      `${both}&code=a`,
      'Medication/kit Medication/m MedicationRequest/r1 MedicationRequest/r2 MedicationStatement/s1',
    ],
    ['contained resources of another type', 'Organization?_contained=true&name=north', 'Medication/kit'],
    ['none', `${contained}&code=nothing`, ''],
    [
      'the contained resources alone',
      alone,
      'Medication/kit#part MedicationRequest/r1#m MedicationRequest/r2#m MedicationRequest/r2#n ' +
        'MedicationRequest/r3#m MedicationStatement/s1#x',
    ],
    [
      'those alone that match',
      `${alone}&status=active`,
      'Medication/kit#part MedicationRequest/r1#m MedicationRequest/r2#m',
    ],
    [
      'both, contained ones alone',
      `${both}&_containedType=contained&status=active`,
      'Medication/kit Medication/kit#part Medication/m MedicationRequest/r1#m MedicationRequest/r2#m',
    ],
  ])('finds %s', async (_, path, urls) => {
    const { status, json } = await server.get(`/${path}&_total=accurate`);
    expect([status, urlsIn(json), json.total]).toEqual([200, urls, urls === '' ? 0 : urls.split(' ').length]);
    // The same in pages of one and two.
    for (const count of [1, 2]) {
      const pages: string[] = [];
      let next: string | undefined = `/${path}&_count=${count}`;
      while (next !== undefined) {
        const page: Found = (await server.get(next)).json;
        expect(page.entry?.length ?? 0).toBeLessThanOrEqual(count);
        pages.push(
          ...urlsIn(page)
            .split(' ')
            .filter(url => url !== ''),
        );
        const link: string | undefined = page.link.find(({ relation }) => relation === 'next')?.url;
        next = link === undefined ? undefined : link.slice(server.base.length);
      }
      expect(pages.join(' ')).toBe(urls);
    }
  });

  it('is understood as one query for each type of container', () => {
    const { model } = server.running.engine;
    const place = { access: 'open', base: server.base, resourceType: 'Medication' } as const;
    const context = { model, base: server.base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
    const requests = searchedBy(model, place).parse(parsePairs('_contained=both&code=a'), context);
    const of = (name: string) => requests.find(({ type }) => type.name === name)?.query ?? { kind: 'all' as const };
    const test = '(contained Medication (param code (token any "a")))';
    expect(print(of('MedicationRequest'))).toBe(test);
    expect(print(of('Medication'))).toBe(`(or (param code (token any "a")) ${test})`);
    expect(print(supersetOf(of('MedicationRequest'), server.base))).toBe(
      '(or (param _contained (uri "Medication *")) (param _contained (uri "Medication =a")))',
    );
    expect(requests.some(({ type }) => type.name === 'Bundle')).toBe(false);
  });

  it('keeps the digits of a contained resource, and is cut by `_elements`', async () => {
    const { text } = await server.get(`/${alone}&code=b`);
    expect(text).toContain('"fullUrl":"' + server.base + '/MedicationRequest/r2#m"');
    expect(text).toContain('{"value":1.50}');
    const { json } = await server.get(`/${alone}&code=b&_elements=status`);
    expect(Object.keys(json.entry[0].resource)).toEqual(['resourceType', 'id', 'meta', 'status']);
    const container = (await server.get(`/${contained}&code=b&_elements=status`)).json.entry[0].resource;
    expect([container.id, container.status, container.contained]).toEqual(['r2', 'active', undefined]);
  });

  it('reads each type of container once for a page', async () => {
    const { engine } = server.running;
    const read: string[] = [];
    const search: typeof server.partition.search = (type, asked) => {
      read.push(type);
      return server.partition.search(type, asked);
    };
    const types: typeof server.partition.types = referringTo => server.partition.types(referringTo);
    const place = { partition: { ...server.partition, search, types }, extract: engine.extract, base: server.base };
    const path = { access: 'open', base: server.base, resourceType: 'Medication', compartment: undefined } as const;
    const context = { model: engine.model, base: server.base, zone: 'UTC', handling: 'strict', now: 0, joins: true };
    const pairs = parsePairs('_contained=true&_containedType=contained&_sort=_id&_count=1');
    const requests = searchedBy(engine.model, path).parse(pairs, context as Parameters<typeof parseSearch>[2]);
    let after: Position | undefined;
    const pages: string[] = [];
    do {
      const page = await containedPage(
        requests.map(one => ({ ...one, after })),
        place,
      );
      pages.push(page.matches.map(({ resource }) => resource?.id).join(' '));
      expect(read.splice(0)).toEqual(['Medication', 'MedicationRequest', 'MedicationStatement']);
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual(['part', 'm', 'm', 'n', 'm', 'x']);
  });

  it('only counts by `_count=0`', async () => {
    expect((await server.get(`/${alone}&_count=0`)).json).toMatchObject({ total: 6 });
    expect((await server.get(`/${contained}&_summary=count`)).json).toMatchObject({ total: 5 });
  });

  it.each([
    ['_contained=yes', '_contained', '`yes` is not a value for `_contained`: write one of `false`, `true`, `both`.'],
    ['_containedType=record', '_containedType', 'write one of `container`, `contained`.'],
    ['_contained=true&_contained=both', '_contained', '`_contained` is repeated: send it once.'],
    ['_contained:not=true', '_contained:not', 'The modifier `:not` is not supported on `_contained`'],
    ['_contained=', '_contained', '`_contained` has no value'],
    [
      '_contained=true&manufacturer.name=a',
      '_contained',
      'cannot be combined with chains, `_has`, `_list` or hierarchies',
    ],
    ['_contained=true&_list=a', '_contained', 'cannot be combined with chains, `_has`, `_list` or hierarchies'],
    ['_contained=true&_has:MedicationRequest:medication:status=active', '_contained', 'cannot be combined with chains'],
    ['_contained=both&_include=Medication:manufacturer', '_contained', 'cannot be combined with `_include`'],
    ['_contained=true&_sort=code', '_sort', 'sorted by `_id` and `_lastUpdated` only'],
  ])('refuses %s', async (query, name, text) => {
    const { status, json } = await server.get(`/Medication?${query}`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('is of one type, and of no compartment', async () => {
    for (const path of ['/?_type=Medication,Patient&_contained=true', '/Patient/p1/Observation?_contained=true']) {
      const { status, json } = await server.get(path);
      expect([status, json.issue[0].expression]).toEqual([400, ['http._contained']]);
    }
  });

  it('is refused where the interface does not declare it, and ignored by lenient handling', async () => {
    const plain = await serve([]);
    const { status, json } = await plain.get('/Condition?_contained=true');
    const lenient = await plain.get('/Condition?_contained=true', { Prefer: 'handling=lenient' });
    await plain.close();
    expect([status, json.issue[0].code, lenient.status]).toEqual([400, 'not-supported', 200]);
  });
});

describe('random contained resources', () => {
  it('are found as the meaning of search says', async () => {
    const store = await serve([], ['--capability', capability]);
    const { model, extract } = store.running.engine;
    const { partition, base } = store;
    const one = fc.record({
      code: fc.constantFrom('a', 'b', 'c'),
      status: fc.constantFrom('active', 'inactive', undefined),
    });
    const some = fc.sample(fc.array(one, { maxLength: 3 }), { numRuns: 120, seed: 3 });
    await put(
      partition,
      some.map((all, at) =>
        prescription(`r${at}`, `p${at % 5}`, ...all.map(({ code, status }, nr) => medication(`m${nr}`, code, status))),
      ),
    );
    const where = { id: partition.id, zone: partition.settings.zone };
    const [type, inner] = ['MedicationRequest', 'Medication'].map(name => model.types.get(name));
    if (type === undefined || inner === undefined) throw new Error('A type is not there');
    const all: Indexed[] = [];
    for await (const { id, lastUpdated, text = '' } of current(partition, type.name)) {
      const { contained: held = [] } = JSON.parse(text) as { contained?: { id: string }[] };
      const inside = held.map(resource => {
        return {
          type: inner.name,
          id: resource.id,
          lastUpdated,
          entries: extract(inner, JSON.stringify(resource), where),
        };
      });
      all.push({ id, lastUpdated, entries: extract(type, text, where), contained: inside });
    }
    const context = { model, base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
    const part = fc.constantFrom(
      'code=a',
      'code:not=b',
      'status=active',
      'status:missing=true',
      '_id=m1',
      'code=a,c',
      '_filter=code ne a',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(part, { minLength: 1, maxLength: 3 }),
        fc.option(fc.constantFrom('patient=Patient/p1', 'status=active'), { nil: undefined }),
        fc.boolean(),
        fc.integer({ min: 3, max: 150 }),
        async (parts, beside, isNot, limit) => {
          const pairs = parts.map(
            text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const,
          );
          const requests = containerRequests(parseSearch(inner, [...pairs, ['_contained', 'true']], context), [type]);
          const test = requests[0]?.query;
          if (test === undefined) throw new Error('no request');
          const not: Query = isNot ? { kind: 'not', of: test } : test;
          const own = beside === undefined ? [] : [parseSearch(type, parsePairs(beside), context).query];
          const query: Query = { kind: 'and', of: [not, ...own] };
          const expected = all
            .filter(resource => matches(query, resource))
            .map(({ id }) => id)
            .sort();
          const ids: string[] = [];
          let after: Position | undefined;
          do {
            const search = { type, query, sort: [{ by: 'id', descending: false }] as const, limit, after };
            const page = await findPage(search, { partition, extract, base });
            ids.push(...page.versions.map(({ id }) => id));
            after = page.next;
          } while (after !== undefined);
          expect([print(query), ids]).toEqual([print(query), expected]);
          expect(await countMatches(type, query, { partition, extract, base })).toBe(expected.length);
        },
      ),
      { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 100) },
    );
    await store.close();
  }, 300_000);
});

describe('access', () => {
  const found = async (scope: string, path = contained): Promise<unknown> => {
    const { status, json } = await guarded.get(`/${path}`, tokens.bearer({ scope }));
    return status === 200 ? urlsIn(json, guarded) : status;
  };
  it('is that of the container', async () => {
    const own = 'system/Medication.rs';
    expect(await found('system/MedicationRequest.rs')).toBe(403);
    expect(await found(own)).toBe('Medication/kit');
    expect(await found(`${own} system/MedicationStatement.rs`)).toBe('Medication/kit MedicationStatement/s1');
    const patient = `${own} system/MedicationRequest.rs?patient=Patient/p2`;
    expect(await found(patient)).toBe('Medication/kit MedicationRequest/r3');
    expect(await found(patient, alone)).toBe('Medication/kit#part MedicationRequest/r3#m');
    expect(await found(`${own}?status=inactive`)).toBe('');
  });
});
