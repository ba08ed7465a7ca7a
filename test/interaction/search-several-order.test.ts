// Searches of several types in random orders find what the meaning of search says, page by page.
// https://hl7.org/fhir/R4/search.html#sort
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mergedPage } from '../../src/interaction/search/merge.ts';
import { searchedBy } from '../../src/interaction/search/searched.ts';
import type { Position, Sort } from '../../src/search/ast.ts';
import { type Indexed, matches } from '../../src/search/matches.ts';
import { print, printSort } from '../../src/search/print.ts';
import { comparePositions, positionOf } from '../../src/search/sort.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { seeded } from '../support/seeded.ts';
import { put, serve, type Served } from '../support/serve.ts';

const types = ['DiagnosticReport', 'MedicationRequest', 'Observation'];
const size = 14;

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--capability', r4Of([...types, 'Patient', 'Practitioner'])]);
  const pick = (values: readonly string[], at: number): string => values[at % values.length] ?? '';
  const coded = (at: number): object => ({
    coding: [{ system: 'http://codes.example', code: pick(['a', 'b', 'C'], at) }],
  });
  // The ids of the three types are the same, and so are many of their values.
  for (let at = 0; at < size; at += 1) {
    const common = (nr: number): object => ({
      id: `r${(at * 5) % size}`,
      ...(nr % 4 === 3 ? {} : { subject: { reference: `Patient/${pick(['p', 'q', 'P'], nr)}` } }),
      ...(nr % 3 === 0 ? { identifier: [{ value: pick(['1', '2'], nr) }, { value: '3' }] } : {}),
    });
    await put(server.partition, [
      { resourceType: types[0], ...common(at), status: pick(['final', 'amended'], at), code: coded(at) },
      {
        resourceType: types[1],
        ...common(at + 1),
        status: pick(['active', 'completed'], at),
        intent: 'order',
        ...(at % 2 === 0 ? { medicationCodeableConcept: coded(at + 1) } : {}),
      },
      { resourceType: types[2], ...common(at * 2), status: pick(['final', 'preliminary'], at), code: coded(at + 2) },
    ]);
  }
}, 120_000);
afterAll(() => server.close());

/** A match with its type, as the searches order them. */
interface Match {
  readonly type: string;
  readonly position: Position;
}

const inOrder =
  (sort: readonly Sort[]) =>
  (a: Match, b: Match): number =>
    comparePositions(sort, a.position, b.position) || (a.type < b.type ? -1 : 1);

it('in pages', async () => {
  const { model, extract } = server.running.engine;
  const { partition, base } = server;
  const where = { id: partition.id, zone: partition.settings.zone };
  const indexed = new Map<string, Indexed[]>();
  for (const name of types) {
    const type = model.types.get(name);
    if (type === undefined) throw new Error(name);
    const all: Indexed[] = [];
    for await (const { id, lastUpdated, text = '' } of current(partition, name))
      all.push({ id, lastUpdated, entries: extract(type, text, where) });
    indexed.set(name, all);
  }
  const searched = searchedBy(model, { access: 'open', base, resourceType: undefined, compartment: undefined });
  const context = { model, base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
  const key = fc
    .tuple(
      fc.constantFrom('_id', '_lastUpdated', 'status', 'code', 'patient', 'subject', 'identifier'),
      fc.constantFrom('', '-'),
    )
    .map(([code, direction]) => `${direction}${code}`);
  const orders = fc.uniqueArray(key, { maxLength: 3, selector: one => one.replace('-', '') });
  const filters = fc.constantFrom([], ['status', 'final,active'], ['patient:missing', 'true'], ['code', 'a,C']);
  const named = fc.uniqueArray(fc.constantFrom(...types), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(orders, filters, named, fc.integer({ min: 2, max: 50 }), async (keys, filter, names, count) => {
      const [name, value] = filter;
      const requests = searched.parse(
        [
          ['_type', names.join(',')],
          ['_count', String(count)],
          ...(keys.length === 0 ? [] : [['_sort', keys.join(',')] as const]),
          ...(name === undefined || value === undefined ? [] : [[name, value] as const]),
        ],
        context,
      );
      const [{ sort, query }] = requests as [(typeof requests)[number], ...(typeof requests)[number][]];
      const expected = requests
        .flatMap(({ type, ...one }) =>
          (indexed.get(type.name) ?? [])
            .filter(resource => matches(one.query, resource))
            .map(resource => ({ type: type.name, position: positionOf(one.sort, type, resource) })),
        )
        .sort(inOrder(sort))
        .map(({ type, position }) => `${type}/${position.id}`);
      const found: string[] = [];
      let after: Position | undefined;
      do {
        const page = await mergedPage(
          requests.map(one => ({ ...one, after })),
          { partition, extract, base },
        );
        found.push(...page.versions.map(({ type, id }) => `${type}/${id}`));
        after = page.next && (JSON.parse(JSON.stringify(page.next)) as Position); // as in a page token
      } while (after !== undefined && found.length <= expected.length);
      expect([print(query), printSort(sort), found]).toEqual([print(query), printSort(sort), expected]);
    }),
    { numRuns: Number(process.env['CRS_TEST_SEARCHES'] ?? 60), ...seeded },
  );
}, 120_000);
