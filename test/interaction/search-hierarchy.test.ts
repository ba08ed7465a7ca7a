// `:below` and `:above` on references: hierarchies of resources. https://hl7.org/fhir/R4/search.html#reference
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { countMatches, findPage } from '../../src/interaction/search/find.ts';
import { treeQuery } from '../../src/interaction/search/trees.ts';
import type { Position, Query, Tree } from '../../src/search/ast.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { print } from '../../src/search/print.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { seeded } from '../support/seeded.ts';
import { put, serve, type Served } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';
import { idsIn, queryOf } from './support/search-of.ts';

const capability = r4Of(['Encounter', 'Location', 'Organization', 'Patient', 'Observation', 'Practitioner']);

const location = (id: string, partOf?: string, more: object = {}): object => ({
  resourceType: 'Location',
  id,
  ...(partOf === undefined ? {} : { partOf: { reference: partOf } }),
  ...more,
});
const encounter = (id: string, place: string): object => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { code: 'AMB' },
  location: [{ location: { reference: place } }],
});

/** A site with two wings, one of them with a ward; a room in each; and two locations that contain each other. */
const records = (base: string): readonly object[] => [
  location('site'),
  location('east', 'Location/site'),
  location('west', `${base}/Location/site`, { status: 'active' }),
  location('ward', 'Location/west', { status: 'suspended' }),
  location('room', 'Location/ward', { status: 'active' }),
  location('ring1', 'Location/ring2'),
  location('ring2', 'Location/ring1'),
  location('self', 'Location/self'),
  location('orphan', 'Location/nowhere'),
  encounter('e1', 'Location/east'),
  encounter('e2', 'Location/ward'),
  encounter('e3', `${base}/Location/room`),
  encounter('e4', 'Location/ring1'),
  encounter('e5', 'Location/orphan'),
  encounter('e6', 'Location/nowhere'),
  encounter('e7', 'https://elsewhere.example/Location/ward'),
  { resourceType: 'Organization', id: 'north' },
  { resourceType: 'Organization', id: 'unit', partOf: { reference: 'Organization/north' } },
  {
    resourceType: 'Patient',
    id: 'p',
    managingOrganization: { reference: 'Organization/unit' },
    generalPractitioner: [{ reference: 'Organization/unit' }],
  },
];

const tokens = testTokens();
let server: Served;
let guarded: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', capability]);
  await put(server.partition, records(server.base));
  guarded = await serve([], ['--capability', capability], undefined, { verify: tokens.verify });
  await put(guarded.partition, records(guarded.base));
}, 120_000);
afterAll(async () => {
  await server.close();
  await guarded.close();
});

describe('a search of a hierarchy', () => {
  it.each([
    [
      'below: the whole of it',
      'Encounter?location:below=site',
      '(tree location below Location/site partof)',
      'e1 e2 e3',
    ],
    ['below a part', 'Encounter?location:below=Location/west', '(tree location below Location/west partof)', 'e2 e3'],
    ['below a leaf', 'Encounter?location:below=room', '(tree location below Location/room partof)', 'e3'],
    ['above', 'Encounter?location:above=room', '(tree location above Location/room partof)', 'e2 e3'],
    ['above the top', 'Encounter?location:above=site', '(tree location above Location/site partof)', ''],
    [
      'with a list of values',
      'Encounter?location:below=east,room',
      '(or (tree location below Location/east partof) (tree location below Location/room partof))',
      'e1 e3',
    ],
    ['in a cycle', 'Encounter?location:below=ring2', '(tree location below Location/ring2 partof)', 'e4'],
    ['above in a cycle', 'Encounter?location:above=ring2', '(tree location above Location/ring2 partof)', 'e4'],
    [
      'below what does not exist',
      'Encounter?location:below=nowhere',
      '(tree location below Location/nowhere partof)',
      'e5 e6',
    ],
    [
      'above one whose parent does not exist',
      'Encounter?location:above=orphan',
      '(tree location above Location/orphan partof)',
      'e5 e6',
    ],
    [
      'of another server: itself only',
      'Encounter?location:below=https://elsewhere.example/Location/ward',
      '(param location (reference "https://elsewhere.example/Location/ward"))',
      'e7',
    ],
    [
      'by the parameter of the hierarchy',
      'Location?partof:below=site',
      '(tree partof below Location/site partof)',
      'east room ward west',
    ],
    [
      'above, by the same',
      'Location?partof:above=ward',
      '(tree partof above Location/ward partof)',
      'east room ward west',
    ],
    ['of itself', 'Location?partof:below=self', '(tree partof below Location/self partof)', 'self'],
    [
      'beside another parameter',
      'Location?partof:below=site&status=active',
      '(and (tree partof below Location/site partof) (param status (token any "active")))',
      'room west',
    ],
    [
      'behind a chain',
      'Encounter?location.partof:below=west',
      '(chain location Location (tree partof below Location/west partof))',
      'e2 e3',
    ],
    [
      'in `_has`',
      'Location?_has:Encounter:location:location:below=west',
      '(has Encounter location (tree location below Location/west partof))',
      'room ward',
    ],
    [
      'of organizations',
      'Patient?organization:below=north',
      '(tree organization below Organization/north partof)',
      'p',
    ],
    [
      'of the only type that has one',
      'Patient?general-practitioner:below=north',
      '(tree general-practitioner below Organization/north partof)',
      'p',
    ],
  ])('%s', async (_, path, ast, ids) => {
    expect(print(queryOf(server, path))).toBe(ast);
    const { status, json } = await server.get(`/${path}&_sort=_id&_total=accurate`);
    expect([status, idsIn(json), json.total]).toEqual([200, ids, ids === '' ? 0 : ids.split(' ').length]);
  });

  it('is paged', async () => {
    const first = (await server.get('/Encounter?location:below=site&_sort=-_id&_count=2')).json;
    const next = new URL(first.link[1].url);
    const second = (await server.get(`/Encounter${next.search}`)).json;
    expect([idsIn(first), idsIn(second), second.link.length]).toEqual(['e3 e2', 'e1', 1]);
  });

  it.each([
    [
      'Patient?general-practitioner:below=Practitioner/a',
      'general-practitioner:below',
      'Practitioner has no hierarchy here',
    ],
    [
      'Observation?subject:below=Patient/a',
      'subject:below',
      'Patient has no hierarchy here: search `subject=Patient/a` instead.',
    ],
    ['Encounter?location:below=', 'location:below', 'has no value'],
    ['Encounter?location:below=Patient/a', 'location:below', '`Patient/a` is not a value for `location:below`'],
    ['Encounter?location:below=a,', 'location:below', 'has an empty value in its list'],
    [
      'Encounter?location:beneath=a',
      'location:beneath',
      'Use `:missing`, `:above`, `:below`, `:identifier`, `:Location`.',
    ],
    ['Encounter?patient:below=a', 'patient:below', 'The modifier `:below` is not supported on `patient`'],
  ])('refuses %s', async (path, name, text) => {
    const { status, json } = await server.get(`/${path}`);
    expect([status, json.issue[0].expression]).toEqual([400, [`http.${name}`]]);
    expect(json.issue[0].diagnostics).toContain(text);
  });

  it('is listed with the parameters that lead to a hierarchy', async () => {
    const { json } = await server.get('/metadata');
    const modifiers = (name: string, code: string): string => {
      const type = objectsOf(json.rest[0].resource).find(one => one['type'] === name);
      const param = objectsOf(type?.['searchParam']).find(one => one['name'] === code);
      return objectsOf(param?.['extension'])
        .map(({ valueCode }) => String(valueCode))
        .join(' ');
    };
    expect([modifiers('Encounter', 'location'), modifiers('Encounter', 'patient')]).toEqual([
      'above below identifier type',
      'identifier type',
    ]);
  });

  it('is refused where the interface does not declare it', async () => {
    const plain = await serve([]);
    const { status, json } = await plain.get('/Encounter?appointment:below=a');
    await plain.close();
    expect([status, json.issue[0].code]).toEqual([400, 'code-invalid']);
  });
});

describe('access', () => {
  const below = async (scope: string, path = '/Encounter?location:below=site&_sort=_id') => {
    const { status, json } = await guarded.get(path, tokens.bearer({ scope }));
    return status === 200 ? idsIn(json) : [status, json.issue[0].diagnostics];
  };
  it('is 403 without a scope to search the hierarchy, which it names', async () => {
    expect(await below('system/Encounter.rs')).toEqual([403, expect.stringContaining('Location')]);
  });
  it('does not follow records outside of the scope', async () => {
    const scope = 'system/Encounter.rs system/Location.rs';
    expect(await below(scope)).toBe('e1 e2 e3');
    // The ward is suspended, so that the room below it is not found.
    expect(await below(`${scope}?status=active`, '/Encounter?location:below=west&_sort=_id')).toBe('');
    expect(await below(`${scope}?status=active,suspended`, '/Encounter?location:below=west&_sort=_id')).toBe('e2 e3');
    // The room names the ward, which the caller cannot read, and so what is above it.
    expect(await below(`${scope}?status=active`, '/Encounter?location:above=room&_sort=_id')).toBe('e2 e3');
    expect(await below(`${scope}?status=suspended`, '/Encounter?location:above=room&_sort=_id')).toBe('e3');
  });
});

describe('limits', () => {
  const tree = (path: string): Tree => {
    const query = queryOf(server, path);
    if (query.kind !== 'tree') throw new Error(query.kind);
    return query;
  };
  const place = () => ({ partition: server.partition, extract: server.running.engine.extract, base: server.base });

  it('are those of members and of levels', async () => {
    const below = tree('Encounter?location:below=site');
    expect(await treeQuery(below, place(), { members: 5, levels: 3 })).toMatchObject({ kind: 'param' });
    await expect(treeQuery(below, place(), { members: 4, levels: 3 })).rejects.toMatchObject({
      status: 403,
      message: '`Location/site` has more than 4 members below it. Search `location:below` by a resource with fewer.',
    });
    await expect(treeQuery(below, place(), { members: 5, levels: 2 })).rejects.toMatchObject({ status: 403 });
    const above = tree('Encounter?location:above=room');
    expect(await treeQuery(above, place(), { members: 4, levels: 3 })).toMatchObject({ kind: 'param' });
    await expect(treeQuery(above, place(), { members: 4, levels: 2 })).rejects.toMatchObject({ status: 403 });
  });

  it('are an answer 403 too-costly', async () => {
    const deep = Array.from({ length: 103 }, (_, at) =>
      location(`deep${at}`, at === 0 ? undefined : `Location/deep${at - 1}`),
    );
    await put(server.partition, deep);
    const { status, json } = await server.get('/Encounter?location:below=deep0');
    expect([status, json.issue[0].code, json.issue[0].expression]).toEqual([
      403,
      'too-costly',
      ['http.location:below'],
    ]);
    expect(json.issue[0].diagnostics).toContain('`Location/deep0` has more than 100 levels below it');
    expect((await server.get('/Encounter?location:below=deep2')).status).toBe(200);
  });
});

describe('random hierarchies', () => {
  const size = 40;
  const part = fc.option(fc.nat(size + 2), { nil: undefined });
  let store: Served;
  beforeAll(async () => {
    store = await serve([], ['--capability', capability]);
  });
  afterAll(() => store.close());

  it('are followed as the meaning of search says, cycles included', async () => {
    const { model, extract } = store.running.engine;
    const { partition, base } = store;
    const forest = fc.sample(fc.array(part, { minLength: size, maxLength: size }), { numRuns: 1, seed: 4 })[0] ?? [];
    await put(partition, [
      ...forest.map((at, nr) =>
        location(`l${nr}`, at === undefined ? undefined : `${nr % 7 === 1 ? `${base}/` : ''}Location/l${at}`, {
          status: nr % 4 === 0 ? 'suspended' : 'active',
        }),
      ),
      ...forest.map((_, nr) => encounter(`e${nr}`, `Location/l${(nr * 7) % (size + 3)}`)),
    ]);
    const where = { id: partition.id, zone: partition.settings.zone };
    const read = async (name: string): Promise<readonly Indexed[]> => {
      const type = model.types.get(name);
      if (type === undefined) throw new Error(name);
      const all: Indexed[] = [];
      for await (const { id, lastUpdated, text = '' } of current(partition, name)) {
        all.push({ id, lastUpdated, entries: extract(type, text, where) });
      }
      return all;
    };
    const indexed = new Map([
      ['Location', await read('Location')],
      ['Encounter', await read('Encounter')],
    ]);
    const others = { base, of: (type: string): readonly Indexed[] => indexed.get(type) ?? [] };
    const id = fc.nat(size + 3).map(nr => `l${nr}`);
    const how = fc.constantFrom('below', 'above');
    const search = fc.oneof(
      fc.tuple(how, id).map(([one, of]) => `Encounter?location:${one}=${of}`),
      fc
        .tuple(how, id, id)
        .map(([one, of, other]) => `Encounter?location:${one}=${of},${other}&location:above=${other}`),
      fc.tuple(how, id).map(([one, of]) => `Location?partof:${one}=${of}&status=active`),
      fc.tuple(how, id).map(([one, of]) => `Encounter?location.partof:${one}=${of}`),
      fc.tuple(how, id).map(([one, of]) => `Location?_has:Encounter:location:location:${one}=${of}`),
    );
    /** As a rule of access confines what is followed. */
    const confined = (query: Query, of: Query): Query => {
      if (query.kind === 'tree') return { ...query, of };
      return query.kind === 'and' || query.kind === 'or'
        ? { ...query, of: query.of.map(one => confined(one, of)) }
        : query;
    };
    const active = queryOf(server, 'Location?status=active');
    await fc.assert(
      fc.asyncProperty(search, fc.boolean(), fc.integer({ min: 3, max: 50 }), async (path, isConfined, limit) => {
        const [name = ''] = path.split('?');
        const type = model.types.get(name);
        if (type === undefined) throw new Error(name);
        const asked = queryOf(server, path);
        const query = isConfined ? confined(asked, active) : asked;
        const expected = others
          .of(name)
          .filter(one => matches(query, one, others))
          .map(one => one.id)
          .sort();
        const sort = [{ by: 'id', descending: false }] as const;
        const ids: string[] = [];
        let after: Position | undefined;
        do {
          const page = await findPage({ type, query, sort, limit, after }, { partition, extract, base });
          ids.push(...page.versions.map(one => one.id));
          after = page.next;
        } while (after !== undefined);
        expect([print(query), ids]).toEqual([print(query), expected]);
        expect(await countMatches(type, query, { partition, extract, base })).toBe(expected.length);
      }),
      { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 150), ...seeded },
    );
  }, 300_000);
});
