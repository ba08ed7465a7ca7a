import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import type { Model, ResourceType } from '../../src/model/model.ts';
import type { Position, Query, Sort } from '../../src/search/ast.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { print, printSort } from '../../src/search/print.ts';
import { comparePositions, positionOf } from '../../src/search/sort.ts';
import { sortKindOf } from '../../src/search/sort-value.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Extract } from '../../src/indexing/extract.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import { anyEntries, anyQuery, anySort } from './random.ts';
import { seeded } from '../support/seeded.ts';
import { model, search, thing } from './thing.ts';
import { current } from '../store/support/current.ts';
import { list } from '../store/support/list.ts';

/** Opens a new, empty store. */
export type OpenStore = (
  model: Model,
  extract: Extract,
  now: () => number,
) => Promise<{ store: Store; remove: () => Promise<void> }>;

interface Size {
  readonly resources: number;
  /** Searches, each walked to its end. */
  readonly searches: number;
}

/** A resource of these tests carries its entries in its text. */
const extract: Extract = (_type, text) => (JSON.parse(text) as { entries: readonly IndexEntry[] }).entries;

const param = (code: string) => thing.indexed.get(code);
const owner = param('patient');
const code = param('code');
const status = param('status');
if (owner === undefined || code === undefined || status === undefined) throw new Error('The type lacks a parameter');

const isSortable = (one: string): boolean => sortKindOf(param(one) ?? { type: 'special' }) !== undefined;

/** Types that differ in what their own order is made from. */
const types: readonly (readonly [title: string, type: ResourceType])[] = [
  [
    'sorted by a date with several values',
    { ...thing, sortDate: param('date'), sortIndexes: new Set(['name', 'score']) },
  ],
  [
    'sorted by a date with one value',
    { ...thing, sortDate: param('born'), sortIndexes: new Set(thing.indexed.keys().filter(isSortable)) },
  ],
  ['sorted by creation', { ...thing, sortDate: undefined }],
  [
    'with pairs',
    {
      ...thing,
      sortDate: param('date'),
      pairs: [
        { code: 'patient+code', owner, token: code },
        { code: 'patient+status', owner, token: status },
      ],
    },
  ],
];

/**
 * The suite that holds a store to the meaning of search (search/matches.ts, search/sort.ts): random resources, some
 * changed and removed again, and random searches, each walked through its pages to the end.
 */
export function agreement(open: OpenStore, { resources, searches }: Size): void {
  describe.each(types)('a type %s', (_, type) => {
    let store: Store;
    let partition: Partition;
    let remove: () => Promise<void>;
    let all: readonly Indexed[];

    beforeAll(async () => {
      const clock = { now: Date.UTC(2026, 0, 1) };
      const typed = { ...model, types: new Map([[type.name, type]]) };
      ({ store, remove } = await open(typed, extract, () => (clock.now += 2)));
      // A partition beside it with other content must not be seen.
      for (const [id, count, seed] of [
        ['other', Math.min(resources, 300), 1],
        ['demo', resources, 2],
      ] as const) {
        await store.partitions.add(id, { zone: 'UTC' });
        partition = (await store.partition(id)) ?? partition;
        await fill(partition, type, count, seed);
      }
      all = await read(partition, type);
    });
    afterAll(async () => {
      await store.close();
      await remove();
    });

    const timeout = 60_000 + searches * 1_000;
    it('gives the pages and the count that the meaning of search gives', { timeout }, async () => {
      // No walk has more than sixty pages or so.
      const fewest = Math.ceil(resources / 60);
      const instants = [...new Set(all.map(({ lastUpdated }) => lastUpdated))].slice(0, 20);
      await fc.assert(
        fc.asyncProperty(
          anyQuery(type, instants),
          anySort(type),
          fc.oneof(fc.integer({ min: fewest, max: fewest * 7 }), fc.integer({ min: fewest, max: resources + 1 })),
          async (query, sort, limit) => {
            const expected = meaning(query, sort, type, all);
            const said = `${print(query)} ${printSort(sort)} ${limit}`;
            expect({ said, ids: await walk(partition, type, query, sort, limit, expected.length) }).toEqual({
              said,
              ids: expected,
            });
            expect({ said, count: await partition.count(type.name, query) }).toEqual({ said, count: expected.length });
          },
        ),
        { numRuns: searches, examples, ...seeded },
      );
    });
  });
}

/** What no random query is likely to be: parts that nothing, or everything, matches beside one of each other kind. */
const examples = ['code-size=x$1', 'size=5', 'name=a', 'code=a', '_id=r1', 'date=2020', '_lastUpdated=gt2020'].flatMap(
  (written): [Query, readonly Sort[], number][] => {
    const { query, sort } = search(written);
    const nothing: Query = { kind: 'or', of: [] };
    const everything: Query = { kind: 'and', of: [] };
    const none = search('focus=nobody').query;
    const parts: Query[] = [nothing, everything, { kind: 'not', of: everything }, { kind: 'not', of: nothing }, none];
    return parts.map(part => [{ kind: 'and', of: [query, part] }, sort, 40]);
  },
);

/** Ids of all matches, in order. */
function meaning(query: Query, sort: readonly Sort[], type: ResourceType, all: readonly Indexed[]): readonly string[] {
  return all
    .filter(resource => matches(query, resource))
    .map(resource => positionOf(sort, type, resource))
    .sort((a, b) => comparePositions(sort, a, b))
    .map(({ id }) => id);
}

/** Follows the pages; each position goes through JSON, as in a page token. */
async function walk(
  partition: Partition,
  type: ResourceType,
  query: Query,
  sort: readonly Sort[],
  limit: number,
  expected: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: Position | undefined;
  do {
    const page = await partition.search(type.name, { query, sort, limit, ...(after === undefined ? {} : { after }) });
    ids.push(...page.versions.map(({ id }) => id));
    if (page.next !== undefined && page.versions.length !== limit)
      return [...ids, 'a page that is not full has a next one'];
    if (ids.length > expected) return [...ids, 'more than there are'];
    after = page.next && (JSON.parse(JSON.stringify(page.next)) as Position);
  } while (after !== undefined);
  return ids;
}

/** Writes random resources in commits of several sizes, then changes and removes some. */
async function fill(partition: Partition, type: ResourceType, count: number, seed: number): Promise<void> {
  const entries = fc.sample(anyEntries, { numRuns: count * 2, seed });
  const put = (at: number, of = entries[at] ?? []): Change => {
    const id = `r${at % count}`;
    const text = JSON.stringify({ resourceType: type.name, entries: of });
    return { kind: 'put', type: type.name, id, text: splitForStamp(text, id) };
  };
  const commit = async (places: readonly number[]): Promise<void> =>
    void (await partition.write(
      places.map(at => put(at)),
      { unit: 'each' },
    ));
  const step = Math.ceil(count / 60);
  for (let at = 0, size = step; at < count; at += size, size = (size % (7 * step)) + step) {
    await commit(range(at, Math.min(at + size, count)));
  }
  for (let at = count; at < count * 2; at += 5 * step) await commit(range(at, Math.min(at + step, count * 2)));
  const gone = range(0, count).filter(at => at % 11 === 3);
  await partition.write(
    gone.map(at => ({ kind: 'remove', type: type.name, id: `r${at}` })),
    { unit: 'each' },
  );
  await commit(gone.slice(0, 3));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

async function read(partition: Partition, type: ResourceType): Promise<readonly Indexed[]> {
  const all: Indexed[] = [];
  const versions = Map.groupBy(await list(partition.export({ type: type.name })), ({ id }) => id);
  for await (const { id, lastUpdated, text = '' } of current(partition, type.name)) {
    const of = versions.get(id) ?? [];
    const created = of[of.findLastIndex(version => version.text === undefined) + 1]?.lastUpdated;
    all.push({ id, lastUpdated, created, entries: extract(type, text, { id: '', zone: 'UTC' }) });
  }
  return all;
}
