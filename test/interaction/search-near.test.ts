// `near`: positions within a distance. https://hl7.org/fhir/R4/location.html#search
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countMatches, findPage } from '../../src/interaction/search/find.ts';
import type { Position, Query } from '../../src/search/ast.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { print } from '../../src/search/print.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { idsIn, queryOf } from './support/search-of.ts';

const capability = r4Of(['Encounter', 'Location']);

const location = (id: string, latitude?: number, longitude?: number, more: object = {}): object => ({
  resourceType: 'Location',
  id,
  status: 'active',
  ...(latitude === undefined ? {} : { position: { latitude, longitude } }),
  ...more,
});

const records = [
  location('hall', 43.6535, -79.3841),
  location('tower', 43.6426, -79.3871, { status: 'inactive' }), // 1.24 km from the hall
  location('airport', 43.6777, -79.6248), // 19.5 km
  location('montreal', 45.5019, -73.5674), // 504 km
  location('fiji', -17.8, 179.9),
  location('lau', -17.8, -179.9),
  location('pole', 89.999, 0),
  location('other-pole', 89.999, 180),
  location('nowhere'),
  location('wrong', 143, -79.3841),
  ...['hall', 'montreal'].map((place, at) => ({
    resourceType: 'Encounter',
    id: `e${at}`,
    status: 'finished',
    class: { code: 'AMB' },
    location: [{ location: { reference: `Location/${place}` } }],
  })),
];

let server: Served;
beforeAll(async () => {
  server = await serve(records, ['--capability', capability]);
}, 120_000);
afterAll(() => server.close());

describe('near', () => {
  it.each([
    [
      'within kilometres',
      'Location?near=43.6535|-79.3841|2|km',
      '(entry near (near 43.6535 -79.3841 2000))',
      'hall tower',
    ],
    [
      'without units',
      'Location?near=43.6535|-79.3841|20',
      '(entry near (near 43.6535 -79.3841 20000))',
      'airport hall tower',
    ],
    [
      'without a distance: 10 km',
      'Location?near=43.6535|-79.3841',
      '(entry near (near 43.6535 -79.3841 10000))',
      'hall tower',
    ],
    ['in metres', 'Location?near=43.6535|-79.3841|1200|m', '(entry near (near 43.6535 -79.3841 1200))', 'hall'],
    [
      'in a corner of the area only',
      'Location?near=43.6454|-79.3757|0.95',
      '(entry near (near 43.6454 -79.3757 950))',
      '',
    ],
    [
      'in miles',
      'Location?near=43.6535|-79.3841|1|[mi_i]',
      '(entry near (near 43.6535 -79.3841 1609.344))',
      'hall tower',
    ],
    ['at the position itself', 'Location?near=43.6535|-79.3841|0', '(entry near (near 43.6535 -79.3841 0))', 'hall'],
    [
      'near one of several',
      'Location?near=43.6535|-79.3841|1,45.5|-73.5|10',
      '(or (entry near (near 43.6535 -79.3841 1000)) (entry near (near 45.5 -73.5 10000)))',
      'hall montreal',
    ],
    ['across the meridian of 180°', 'Location?near=-17.8|180|15', '(entry near (near -17.8 180 15000))', 'fiji lau'],
    ['around a pole', 'Location?near=90|0|1', '(entry near (near 90 0 1000))', 'other-pole pole'],
    [
      'beside another parameter',
      'Location?near=43.6535|-79.3841&status=active',
      '(and (entry near (near 43.6535 -79.3841 10000)) (param status (token any "active")))',
      'hall',
    ],
    [
      'behind a chain',
      'Encounter?location.near=43.6535|-79.3841',
      '(chain location Location (entry near (near 43.6535 -79.3841 10000)))',
      'e0',
    ],
    [
      'in `_has`',
      'Location?_has:Location:partof:near=43.6535|-79.3841',
      '(has Location partof (entry near (near 43.6535 -79.3841 10000)))',
      '',
    ],
    ['of no position', 'Location?near:missing=true', '(not (present near))', 'nowhere'],
  ])('%s', async (_, path, ast, ids) => {
    expect(print(queryOf(server, path))).toBe(ast);
    const { status, json } = await server.get(`/${encodeURI(path)}&_sort=_id&_total=accurate`);
    expect([status, idsIn(json), json.total]).toEqual([200, ids, ids === '' ? 0 : ids.split(' ').length]);
  });

  it('is paged, and sorted', async () => {
    const first = (await server.get('/Location?near=43.6|-79.4|50&_sort=-_id&_count=2')).json;
    const next = new URL(first.link[1].url);
    const second = (await server.get(`/Location${next.search}`)).json;
    expect([idsIn(first), idsIn(second), second.link.length]).toEqual(['tower hall', 'airport', 1]);
    expect(idsIn((await server.get('/Location?near=43.6|-79.4|50&_sort=status,_id')).json)).toBe('airport hall tower');
  });

  it.each([
    ['near=43', 'write `latitude|longitude|distance|units`'],
    ['near=43|-79|5|km|x', 'write `latitude|longitude|distance|units`'],
    ['near=north|-79', 'write `latitude|longitude|distance|units`'],
    ['near=43|', 'write `latitude|longitude|distance|units`'],
    ['near=91|0', 'a latitude is from -90 to 90 degrees, and a longitude from -180 to 180'],
    ['near=0|180.5', 'a latitude is from -90 to 90 degrees, and a longitude from -180 to 180'],
    ['near=43|-79|far', '`far` is no distance: write a number, 0 or more'],
    ['near=43|-79|-1', '`-1` is no distance'],
    ['near=43|-79|5|kg', '`kg` is no unit of length in UCUM, such as `km`'],
    ['near=43|-79|5|miles', '`miles` is no unit of length in UCUM'],
    ['near=43|-79||miles', '`miles` is no unit of length in UCUM'],
    ['near=43|-79|5|', '`` is no unit of length in UCUM'],
    ['near=', '`near` has no value'],
    ['near=43|-79,', '`near` has an empty value in its list'],
    ['near=ge43|-79', 'write `latitude|longitude|distance|units`'],
  ])('refuses %s', async (query, text) => {
    const { status, json } = await server.get(`/Location?${query}`);
    expect([status, json.issue[0].code, json.issue[0].expression]).toEqual([400, 'value', ['http.near']]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('has no other modifier, and no operator in a filter', async () => {
    const { status, json } = await server.get('/Location?near:exact=43|-79');
    expect([status, json.issue[0].diagnostics]).toEqual([
      400,
      'The modifier `:exact` is not supported on `near`. Use `:missing`.',
    ]);
    expect((await server.get('/Location?_filter=near eq 43'.replaceAll(' ', '%20'))).status).toBe(400);
  });

  it('is in the statement', async () => {
    const { json } = await server.get('/metadata');
    const type = json.rest[0].resource.find((one: { type: string }) => one.type === 'Location');
    expect(type.searchParam.find((one: { name: string }) => one.name === 'near')).toMatchObject({
      name: 'near',
      definition: 'http://hl7.org/fhir/SearchParameter/Location-near|4.0.1',
      type: 'special',
    });
  });
});

describe('random positions', () => {
  it('are found as the meaning of search says', async () => {
    const store = await serve([], ['--capability', capability]);
    const { model, extract } = store.running.engine;
    const { partition, base } = store;
    const type = model.types.get('Location');
    if (type === undefined) throw new Error('no Location');
    const latitude = fc.oneof(
      fc.integer({ min: -9000, max: 9000 }),
      fc.integer({ min: 4300, max: 4400 }),
      fc.constant(9000),
    );
    const longitude = fc.oneof(fc.integer({ min: -18000, max: 18000 }), fc.integer({ min: -8000, max: -7900 }));
    const position = fc.tuple(latitude, longitude).map(([a, b]) => [a / 100, b / 100] as const);
    const places = fc.sample(position, { numRuns: 300, seed: 7 });
    await put(
      partition,
      places.map(([a, b], at) => location(`l${at}`, a, b)),
    );
    const where = { id: partition.id, zone: partition.settings.zone };
    const all: Indexed[] = [];
    for await (const { id, lastUpdated, text = '' } of current(partition, 'Location')) {
      all.push({ id, lastUpdated, entries: extract(type, text, where) });
    }
    const context = { model, base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
    const distance = fc.constantFrom('', '|0', '|5', '|40', '|500', '|5000', '|20015');
    await fc.assert(
      fc.asyncProperty(position, distance, fc.boolean(), fc.nat(400), async ([a, b], far, isNot, more) => {
        const { query: near } = parseSearch(type, [['near', `${a}|${b}${far}`]], context);
        const query: Query = isNot ? { kind: 'not', of: near } : near;
        const expected = all
          .filter(one => matches(query, one))
          .map(one => one.id)
          .sort();
        const ids: string[] = [];
        let after: Position | undefined;
        do {
          const search = { type, query, sort: [{ by: 'id', descending: false }] as const, limit: 20 + more, after };
          const page = await findPage(search, { partition, extract, base });
          ids.push(...page.versions.map(one => one.id));
          after = page.next;
        } while (after !== undefined);
        expect([print(query), ids]).toEqual([print(query), expected]);
        expect(await countMatches(type, query, { partition, extract, base })).toBe(expected.length);
      }),
      { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 120) },
    );
    await store.close();
  }, 300_000);
});
