// https://hl7.org/fhir/R4/search.html#sort
import { expect, it, onTestFinished } from 'vitest';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import type { Model, SearchParam } from '../../src/model/model.ts';
import type { Position, Query, Sort } from '../../src/search/ast.ts';
import { DeadlinePassed, TooManyToSort } from '../../src/store/port/errors.ts';
import { mostSorted } from '../../src/store/keys/sorted.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps } from './support/verified.ts';

const all: Query = { kind: 'all' };
const by = (param: SearchParam, descending = false): Sort => ({ by: 'param', param, descending });

/** The fixture's model with sort indexes. */
function modelWith(...codes: readonly string[]): Model {
  const model = t.modelOf(undefined, codes.join(' '));
  const types = [...model.types].map(([name, type]) => [name, { ...type, sortIndexes: new Set(codes) }] as const);
  return { ...model, types: new Map(types) };
}

/** The ids of all matches, page by page; each position goes through JSON, as in a page token. */
async function walk(demo: Partition, sort: readonly Sort[], query = all, limit = 2): Promise<string> {
  const ids: string[] = [];
  let after: Position | undefined;
  do {
    const page = await demo.search(t.typeName, { query, sort, limit, ...(after === undefined ? {} : { after }) });
    ids.push(...page.versions.map(({ id }) => id));
    after = page.next && (JSON.parse(JSON.stringify(page.next)) as Position);
  } while (after !== undefined);
  return ids.join(' ');
}

const records: readonly (readonly [id: string, entries: readonly IndexEntry[]])[] = [
  ['a', [t.named('Zoë'), t.token('x')]],
  ['b', [t.named('zoe'), t.token('b'), t.on(1)]],
  ['c', [t.named('\u{1f600}'), t.ownedBy('1')]],
  ['d', [t.named('\uffee'), t.ownedBy('10')]],
  ['e', [t.named('Ann'), t.named('Zz'), t.ownedBy('2')]],
  ['f', [t.on(2)]],
  ['g', [t.named('---')]],
];
const orders: readonly (readonly [sort: readonly Sort[], ids: string])[] = [
  // The lowest of two ascending, the highest descending; missing last either way; by code point.
  [[by(t.name)], 'g e a b d c f'],
  [[by(t.name, true)], 'c d e b a g f'],
  [[by(t.code), by(t.name)], 'b a g e d c f'],
  [[by(t.owner)], 'c d e a b f g'],
  [[by(t.owner, true), by(t.date)], 'e d c b f a g'],
  [[by(t.name), { by: 'id', descending: true }], 'g e b a d c f'],
];

/** What a store promises of searches that are sorted by any parameter. */
export function sortContract(newPlace: () => Promise<t.Place>): void {
  it.each([
    ['with an index', modelWith('name', 'code', 'owner')],
    ['without one', modelWith()],
    ['with an index of the first key only', modelWith('name', 'owner')],
  ])('is sorted %s, page by page', async (_, model) => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model });
    await demo.write(
      records.map(([id, entries]) => t.put(id, entries)),
      t.each,
    );
    for (const [sort, ids] of orders) expect(await walk(demo, sort)).toBe(ids);
    expect(await walk(demo, [by(t.name)], t.isNamed('z'), 1)).toBe('e a b');

    await demo.write([t.put('a', [t.named('Bob')]), t.remove('g')], t.each);
    expect(await walk(demo, [by(t.name)])).toBe('e a b d c f');
    expect((await indexSteps(store, 'demo')).flatMap(step => step.findings)).toEqual([]);
    await store.close();
  });

  it('builds a sort index that the definitions newly declare, and drops one that they no longer declare', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const first = await t.openDemo(place.url, { model: modelWith() });
    await first.demo.write(
      records.map(([id, entries]) => t.put(id, entries)),
      t.each,
    );
    await first.store.close();

    const with2 = await t.openDemo(place.url, { model: modelWith('name', 'code'), mode: 'command' });
    expect((await t.pending(with2.store)).map(({ param }) => param).sort()).toEqual(['code', 'name']);
    await expect(walk(with2.demo, [by(t.name)])).rejects.toThrow('is not complete yet');
    await list(with2.store.indexes.rebuild('demo', t.typeName));
    expect(await walk(with2.demo, [by(t.name)])).toBe('g e a b d c f');
    expect((await indexSteps(with2.store, 'demo')).flatMap(step => step.findings)).toEqual([]);
    await with2.store.close();

    const without = await t.openDemo(place.url, { model: modelWith('code'), mode: 'command' });
    await list(without.store.indexes.rebuild('demo', t.typeName));
    expect(await walk(without.demo, [by(t.name)])).toBe('g e a b d c f');
    expect((await indexSteps(without.store, 'demo')).flatMap(step => step.findings)).toEqual([]);
    await without.store.close();
  });

  it('without an index sorts up to 10,000 matches, with one any number', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const { store, demo } = await t.openDemo(place.url, { model: modelWith('code') });
    const put = (at: number): ReturnType<typeof t.put> =>
      t.put(`r${String(at).padStart(5, '0')}`, [t.named(`N${(at * 7919) % 10_007}`), t.token(at === 0 ? 'a' : 'b')]);
    for (let at = 0; at < mostSorted; at += 1_000)
      await demo.write(
        Array.from({ length: 1_000 }, (_, index) => put(at + index)),
        t.each,
      );
    const first = async (sort: readonly Sort[], query = all): Promise<readonly string[]> =>
      (await demo.search(t.typeName, { query, sort, limit: 2 })).versions.map(({ id }) => id);
    expect(await first([by(t.name)])).toEqual(['r00000', idOf(1)]);
    await demo.write([put(mostSorted)]);
    await expect(first([by(t.name)])).rejects.toThrow(new TooManyToSort(mostSorted));
    await expect(first([by(t.code), by(t.name)])).rejects.toThrow(new TooManyToSort(mostSorted));
    expect(await first([by(t.name)], t.hasCode('b'))).toEqual([idOf(1), idOf(10)]);
    expect(await first([by(t.code)])).toEqual(['r00000', 'r00001']);
    await store.close();

    const hurried = await t.openDemo(place.url, { model: modelWith('code'), deadline: 1 });
    onTestFinished(() => hurried.store.close());
    const search = { query: t.hasCode('b'), sort: [by(t.name)], limit: 2 };
    await expect(hurried.demo.search(t.typeName, search)).rejects.toThrow(DeadlinePassed);
  });
}

/** The record whose name has this number. */
function idOf(number: number): string {
  const at = Array.from({ length: mostSorted + 1 }, (_, index) => index).find(
    index => (index * 7919) % 10_007 === number,
  );
  return `r${String(at).padStart(5, '0')}`;
}
