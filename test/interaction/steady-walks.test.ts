// Walks from page to page while others write: in the usual order, each record that matches all the time is shown once.
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { r4Of } from '../support/r4-of.ts';
import { put, serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  const dated = { url: 'https://clinical-records.example/fhir/StructureDefinition/sort-date', valueCode: 'date' };
  const capability = r4Of(['Encounter', 'Organization'], type =>
    type.type === 'Encounter' ? { ...type, extension: [...(type.extension ?? []), dated] } : type,
  );
  server = await serve([], ['--capability', capability]);
}, 60_000);
afterAll(() => server.close());

/** One of `sort-date`, which a write moves by its date, and one without. */
const makers = {
  Encounter: (id: string, day: number) => ({
    resourceType: 'Encounter',
    id,
    status: 'finished',
    class: { code: 'AMB' },
    ...(day === 0 ? {} : { period: { start: `2024-01-${String(day).padStart(2, '0')}` } }),
  }),
  Organization: (id: string, day: number) => ({ resourceType: 'Organization', id, name: `walk ${day}` }),
};
type Type = keyof typeof makers;

const write = (type: Type, id: string, to: number): Promise<void> => put(server.partition, [makers[type](id, to)]);

/** The ids of all pages; `between` is called after each page but the last. */
async function walk(first: string, between: (page: number) => Promise<void>): Promise<readonly string[]> {
  const shown: string[] = [];
  for (let path: string | undefined = first, page = 0; path !== undefined; page += 1) {
    expect(page).toBeLessThan(100);
    const { status, json } = await server.get(path);
    expect([status, JSON.stringify(json)]).toEqual([200, expect.not.stringContaining('OperationOutcome')]);
    for (const { resource } of json.entry ?? []) shown.push(`${resource.resourceType}/${resource.id}`);
    const next: { url: string } | undefined = json.link.find(
      ({ relation }: { relation: string }) => relation === 'next',
    );
    path = next?.url.slice(next.url.indexOf('/r4/demo') + '/r4/demo'.length);
    if (path !== undefined) await between(page);
  }
  return shown;
}

const day = fc.integer({ min: 0, max: 9 });
/** What is written between two pages: records by number, each moved to a day, deleted (-1), or new. */
const writes = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: -1, max: 9 })), { maxLength: 4 });
const cases = fc.record({
  types: fc.constantFrom<readonly Type[]>(['Encounter'], ['Organization'], ['Encounter', 'Organization']),
  days: fc.array(day, { minLength: 3, maxLength: 8 }),
  count: fc.integer({ min: 1, max: 4 }),
  between: fc.array(writes, { maxLength: 8 }),
});
let round = 0;

it('show each record that matches all the time once, and none twice', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ types, days, count, between }) => {
      const name = `w${(round += 1)}`;
      const idOf = (at: number): string => `${name}-${at}`;
      const steady = new Set<string>();
      for (const type of types)
        for (const [at, one] of days.entries()) {
          await write(type, idOf(at), one);
          steady.add(`${type}/${idOf(at)}`);
        }
      const ids = Array.from({ length: 10 }, (_, at) => idOf(at)).join(',');
      const query = types.length === 1 ? `/${types[0]}?_id=${ids}` : `/?_type=${types.join(',')}&_id=${ids}`;
      const shown = await walk(`${query}&_count=${count}`, async page => {
        for (const [at, to] of between[page] ?? [])
          for (const type of types) {
            if (to >= 0) await write(type, idOf(at), to);
            else {
              steady.delete(`${type}/${idOf(at)}`);
              await server.partition.write([{ kind: 'remove', type, id: idOf(at) }]);
            }
          }
      });
      expect(shown.length).toBe(new Set(shown).size);
      expect(shown).toEqual(expect.arrayContaining([...steady]));
    }),
    { numRuns: 20 },
  );
});

it('show a record once that moves to a later page, and one that moves to an earlier page', async () => {
  for (const [at, one] of [9, 8, 7, 6].entries()) await write('Encounter', `m${at}`, one);
  const shown = await walk('/Encounter?_id=m0,m1,m2,m3&_count=1', async page => {
    if (page === 0) await write('Encounter', 'm0', 1); // it would be last
    if (page === 1) await write('Encounter', 'm3', 9); // it would be first
  });
  expect(shown).toEqual(['m0', 'm1', 'm2', 'm3'].map(id => `Encounter/${id}`));
});

it('show a record once that is deleted and created again', async () => {
  for (const [at, one] of [3, 0, 3].entries()) await write('Encounter', `r${at}`, one);
  const shown = await walk('/Encounter?_id=r0,r1,r2&_count=1', async page => {
    if (page === 0) await server.partition.write([{ kind: 'remove', type: 'Encounter', id: 'r2' }]);
    if (page === 1) await write('Encounter', 'r2', 0); // it would be last
  });
  expect(shown).toEqual(['r2', 'r0', 'r1'].map(id => `Encounter/${id}`));
});

it('follow no record without a date, which no write moves', { timeout: 60_000 }, async () => {
  const organizations = (to: number): readonly object[] =>
    Array.from({ length: 1_100 }, (_, at) => makers.Organization(`f${at}`, to));
  await put(server.partition, organizations(1));
  let written = 1;
  const shown = await walk('/Organization?name=walk&_count=500', async () => {
    await put(server.partition, organizations((written += 1)));
  });
  expect(shown.filter(id => /f\d+$/.test(id)).length).toBe(1_100);
  expect(new Set(shown).size).toBe(shown.length);
});

it('end with 410 where too many records are written to follow them', { timeout: 60_000 }, async () => {
  const encounters = (to: number): readonly object[] =>
    Array.from({ length: 1_100 }, (_, at) => makers.Encounter(`x${at}`, to));
  await put(server.partition, encounters(1));
  const first = await server.get('/Encounter?_count=10&status=finished');
  const { url } = first.json.link.find(({ relation }: { relation: string }) => relation === 'next');
  await put(server.partition, encounters(2));
  const next = await server.get(url.slice(url.indexOf('/r4/demo') + '/r4/demo'.length));
  expect([next.status, next.json.issue[0].code]).toEqual([410, 'too-costly']);
  expect((await server.get('/Encounter?_count=10&status=finished&_sort=_id')).status).toBe(200);
});
