// What users of other servers complain about in search; each title ends with an issue where they do. Pending indexes,
// scans without an index, and leaks between partitions and callers have suites of their own (test/README.md).
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { put, serve, type Served } from '../support/serve.ts';

const many = 1_100;
const measured = (id: string, value: string, more: object = {}): string =>
  JSON.stringify({ ...observation(id), ...more }).replace(/}$/, `,"valueQuantity":{"value":${value},"code":"kg"}}`);
const family = (id: string, name?: string): object =>
  patient(id, { name: name === undefined ? [] : [{ family: name }] });
const withDate = (id: string, effectiveDateTime: string): object =>
  observation(id, { effectiveDateTime, status: 'amended' });

let server: Served;
beforeAll(async () => {
  const ofOne = Array.from({ length: many }, (_, at) => observation(`o${at}`, { effectiveDateTime: '2020-01-01' }));
  const ofMany = Array.from({ length: many }, (_, at) => [
    family(`q${at}`, `Chained${at}`),
    observation(`c${at}`, { subject: { reference: `Patient/q${at}` }, status: 'registered' }),
  ]);
  server = await serve(
    [
      patient('p1'),
      family('none'),
      family('b', 'Bélanger'),
      family('a', 'Arsenault'),
      measured('one', '1.0', { status: 'preliminary' }),
      measured('exact', '1.00', { status: 'preliminary' }),
      measured('tiny', '1e-7', { status: 'preliminary' }),
      withDate('evening', '2024-03-09T23:30:00-05:00'),
      withDate('day', '2024-03-09'),
      withDate('utc', '2024-03-10T04:30:00Z'),
      ...ofOne,
      ...ofMany.flat(),
    ],
    ['--capability', join(import.meta.dirname, '../fixtures/all-r4/capability')],
  );
}, 120_000);
afterAll(() => server.close());

interface Entry {
  readonly resource: { readonly resourceType: string; readonly id: string };
  readonly search: { readonly mode: string };
}
const idsIn = ({ entry = [] }: { entry?: readonly Entry[] }, mode = 'match'): readonly string[] =>
  entry.filter(({ search }) => search.mode === mode).map(({ resource }) => resource.id);
const find = async (path: string): Promise<readonly string[]> => {
  const { status, json } = await server.get(path);
  expect([status, path]).toEqual([200, path]);
  return idsIn(json);
};
const linkIn = ({ link }: { link: { relation: string; url: string }[] }, relation: string): string | undefined =>
  link.find(one => one.relation === relation)?.url;

describe('pages', () => {
  it('have every record once though others are written in between; hapi-fhir#1300, #3780', async () => {
    const found: string[] = [];
    let path: string | undefined = '/Observation?status=final&subject=Patient/p1&_sort=-date&_count=400';
    for (let page = 0; path !== undefined; page += 1) {
      const { json } = await server.get(path);
      found.push(...idsIn(json));
      await put(server.partition, [observation(`late${page}`, { effectiveDateTime: '2031-01-01' })]);
      path = linkIn(json, 'next')?.slice(server.base.length);
    }
    const early = found.filter(id => !id.startsWith('late'));
    expect([early.length, new Set(early).size]).toEqual([many, many]);
  });

  it('follow any sort, also one without an index; medplum#2672', async () => {
    const first = (await server.get('/Patient?_sort=family,-birthdate&_count=2&family:missing=false')).json;
    const second = (await server.get(linkIn(first, 'next')?.slice(server.base.length) ?? '')).json;
    expect([...idsIn(first), ...idsIn(second)]).toEqual(['a', 'b', 'q0', 'q1']);
  });

  it('of a search by POST are links without what was asked; LinuxForHealth#4235', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = 'family=chained&_count=5';
    const { json } = await server.ask('POST', '/Patient/_search', { headers, body });
    const next = linkIn(json, 'next') ?? '';
    expect(next.toLowerCase()).not.toContain('chained');
    expect(idsIn((await server.get(next.slice(server.base.length))).json)).toHaveLength(5);
  });
});

it('totals are exact where they are asked for, and counted for no page otherwise; hapi-fhir#7448', async () => {
  const search = '/Observation?status=registered&_count=1';
  expect((await server.get(`${search}&_total=accurate`)).json.total).toBe(many);
  expect((await server.get(search)).json.total).toBeUndefined();
  expect((await server.get('/Observation?status=registered&_summary=count')).json.total).toBe(many);
});

it('an unknown parameter is refused; self lists what was used; LinuxForHealth#260, fhir-server#1050', async () => {
  const strict = await server.get('/Patient?famly=arsenault');
  expect([strict.status, strict.json.issue[0].expression]).toEqual([400, ['http.famly']]);
  const { json } = await server.get('/Patient?famly=x&family=arsenault', { Prefer: 'handling=lenient' });
  expect([linkIn(json, 'self'), idsIn(json)]).toEqual([`${server.base}/Patient?family=arsenault`, ['a']]);
  expect(idsIn(json, 'outcome')).toHaveLength(1);
});

it('a chain of more than a thousand records finds all of them; fhir-server#2352', async () => {
  const search = '/Observation?subject:Patient.family=chained&_summary=count';
  expect((await server.get(search)).json.total).toBe(many);
});

it('an untyped chain follows each type that the reference may have; fhir-server#3839', async () => {
  expect(await find('/Observation?subject.family:exact=Chained7')).toEqual(['c7']);
});

it('includes that are too many are cut with a warning, never silently; hapi-fhir#6803, fhir-server#1309', async () => {
  const { json } = await server.get('/Patient?_id=p1&_revinclude=Observation:subject');
  expect(idsIn(json, 'include')).toHaveLength(1_000);
  const [outcome] = json.entry.filter(({ search }: Entry) => search.mode === 'outcome');
  expect(outcome.resource.issue[0].diagnostics).toContain('_revinclude=Observation:subject');
});

describe('a sort', () => {
  it('keeps records without the value, and puts them last in both directions; hapi-fhir#5904', async () => {
    const of = (sort: string): Promise<readonly string[]> => find(`/Patient?_id=a,b,none&_sort=${sort}`);
    expect([await of('family'), await of('-family')]).toEqual([
      ['a', 'b', 'none'],
      ['b', 'a', 'none'],
    ]);
  });

  it('by date and by last update has an order for equal values; blaze#845', async () => {
    const ids = await find('/Observation?status=registered&_sort=-date&_count=1000');
    const again = await find('/Observation?status=registered&_sort=-date&_count=1000');
    expect([again, new Set(ids).size]).toEqual([ids, 1_000]);
  });
});

describe('a date', () => {
  it('without a zone is a day in the zone of the partition; blaze#1498, hapi-fhir#1334', async () => {
    const on = (day: string): Promise<readonly string[]> => find(`/Observation?status=amended&date=${day}&_sort=_id`);
    expect(await on('2024-03-09')).toEqual(['day', 'evening', 'utc']);
    expect(await on('2024-03-10')).toEqual([]);
  });
});

describe('a decimal', () => {
  it('keeps its digits; sushi#1497, firely-net-sdk#136', async () => {
    const texts = await Promise.all(
      ['one', 'exact', 'tiny'].map(async id => (await server.get(`/Observation/${id}`)).text),
    );
    expect(texts.map(text => /"value":([^,]*)/.exec(text)?.[1])).toEqual(['1.0', '1.00', '1e-7']);
  });

  it('is found by the digits that are written; spark#22', async () => {
    const of = (value: string): Promise<readonly string[]> =>
      find(`/Observation?status=preliminary&value-quantity=${value}&_sort=_id`);
    expect([await of('1'), await of('1.00'), await of('1e-7'), await of('lt1e-6')]).toEqual([
      ['exact', 'one'],
      ['exact', 'one'],
      ['tiny'],
      ['tiny'],
    ]);
  });
});

it('an answer after a write has it, however often the search was asked before; hapi-fhir#2680', async () => {
  const search = '/Patient?identifier=fresh';
  for (let times = 0; times < 3; times += 1) expect(await find(search)).toEqual([]);
  await put(server.partition, [patient('fresh', { identifier: [{ value: 'fresh' }] })]);
  expect(await find(search)).toEqual(['fresh']);
});

it('an index changes with its record; spark#1319', async () => {
  await put(server.partition, [family('changing', 'Before')]);
  expect(await find('/Patient?family=before')).toEqual(['changing']);
  await put(server.partition, [family('changing', 'After')]);
  expect([await find('/Patient?family=before'), await find('/Patient?family=after')]).toEqual([[], ['changing']]);
});

it('a search without `_count` has a page of a stated size; node-fhir-server-core#104', async () => {
  const { json } = await server.get('/Observation?status=registered');
  expect(idsIn(json)).toHaveLength(server.running.engine.model.types.get('Observation')?.pageSize.default ?? 0);
  expect(linkIn(json, 'next')).toBeDefined();
});
