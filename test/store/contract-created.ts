// The default order of a type without a sort date.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Query, Sort } from '../../src/search/ast.ts';
import { IndexPending } from '../../src/store/port/errors.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps } from './support/verified.ts';

const all: Query = { kind: 'all' };
const undated = t.modelOf([t.owner, t.code, t.name], 'undated');

/**
 * What every store promises of records without a date: they are ordered by their creation, the newest first. `makeOld`
 * makes a store what an earlier version left, which ordered them by their last update.
 */
export function createdContract(newPlace: () => Promise<t.Place>, makeOld: (url: string) => Promise<void>): void {
  let place: t.Place;
  let store: Store;
  let demo: Partition;
  let time = 1_000;
  const open = async (options: Partial<StoreOptions> = {}): Promise<void> => {
    ({ store, demo } = await t.openDemo(place.url, { model: undated, now: () => (time += 1_000), ...options }));
  };
  const reopen = async (options: Partial<StoreOptions> = {}): Promise<void> => {
    await store.close();
    await open(options);
  };
  beforeEach(async () => {
    time = 1_000;
    place = await newPlace();
    await open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  /** `a` to `e` in the order of their creation; `a` and `b` are changed, `c` is deleted and created again. */
  const fill = async (): Promise<void> => {
    for (const id of ['a', 'b', 'c', 'd']) await demo.write([t.put(id, [t.token('x')])]);
    await demo.write([t.put('b', [t.token('x'), t.named('Changed')])]);
    await demo.write([t.remove('c')]);
    await demo.write([t.put('c', [t.token('x')])]);
    await demo.write([t.put('e', [t.token('x')])]);
    await demo.write([t.put('c', [t.token('x'), t.named('Changed')])]);
    await demo.write(
      [t.put('a', [t.token('x'), t.named('Changed')]), t.put('d', [t.token('x')], {}, 'changed')],
      t.each,
    );
  };
  const order = 'e c d b a';
  const found = async (of = demo, query = all, sort = t.newest): Promise<string> =>
    (await t.find(of, query, sort)).join(' ');
  const differences = async (of = store): Promise<readonly string[]> =>
    (await indexSteps(of, 'demo')).flatMap(({ findings }) => findings.map(({ what, why }) => `${what}: ${why}`));
  const untilReady = async (): Promise<void> => {
    await expect.poll(() => t.pending(store), { timeout: 20_000, interval: 20 }).toEqual([]);
  };

  it('an update does not move a record; one that is created again is new', async () => {
    await fill();
    expect(await found()).toBe(order);
    expect(await found(demo, t.hasCode('x'))).toBe(order);
    expect(await found(demo, t.isNamed('changed'))).toBe('c b a');
    expect(await found(demo, all, [{ by: 'lastUpdated', descending: true }])).toMatch(/^(a d|d a) c e b$/);
    expect(await differences()).toEqual([]);
  });

  it('a page continues behind a position, whatever is changed meanwhile', async () => {
    await fill();
    const first = await demo.search(t.typeName, { query: all, sort: t.newest, limit: 2 });
    await demo.write([t.put('b', [t.named('Again')])]);
    const { next: after } = first;
    if (after === undefined) throw new Error('The page is the last one');
    const second = await demo.search(t.typeName, { query: all, sort: t.newest, limit: 9, after });
    expect([...first.versions, ...second.versions].map(({ id }) => id).join(' ')).toBe(order);
    const times = second.versions.map(({ created }) => created);
    expect(times).toEqual(times.toSorted((a = 0, b = 0) => b - a));
  });

  it('several changes of a record in one write keep its place, or give it a new one', async () => {
    const { versions } = await (async () => {
      await demo.write([t.put('old'), t.put('other')], t.each);
      await demo.write([t.put('new')]);
      const changes = [
        t.put('old', [], {}, '2'),
        t.put('old', [], {}, '3'),
        t.put('fresh'),
        t.put('fresh', [], {}, '2'),
      ];
      await demo.write(changes, t.each);
      await demo.write([t.remove('other'), t.put('other', [], {}, '2'), t.put('other', [], {}, '3')], t.each);
      return demo.search(t.typeName, { query: all, sort: t.newest, limit: 9 });
    })();
    expect(versions.map(({ id }) => id).join(' ')).toBe('other fresh new old');
    expect(await differences()).toEqual([]);
  });

  it('is the same after a rebuild, and in a store to which it is copied', async () => {
    await fill();
    await list(store.indexes.rebuild('demo'));
    expect(await found()).toBe(order);
    const there = await newPlace();
    const other = await t.openDemo(there.url, { model: undated });
    try {
      // Some versions first, as an interrupted copy leaves them.
      const versions = await list(demo.export());
      const isLater = (id: string, version: number): boolean => id === 'c' && version > 1;
      await other.demo.import(versions.filter(one => !isLater(one.id, one.version)));
      await other.demo.import(versions);
      expect(await found(other.demo)).toBe(order);
      expect(await differences(other.store)).toEqual([]);
    } finally {
      await other.store.close();
      await there.remove();
    }
  });

  it('is made by a start in a store of an earlier version, also of what is written before', async () => {
    await fill();
    await store.close();
    await makeOld(place.url);
    await open({ mode: 'command' });
    await demo.write([t.put('b', [t.token('x')], {}, 'meanwhile')]);
    await expect(found()).rejects.toThrow(IndexPending);
    await reopen();
    await untilReady();
    expect(await found()).toBe(order);
    expect(await found(demo, t.hasCode('x'))).toBe(order);
    expect(await differences()).toEqual([]);
  });

  it('is right as soon as the type has no sort date any more, also of what is written meanwhile', async () => {
    await reopen({ model: t.modelOf() });
    await fill();
    await reopen({ mode: 'command' });
    await demo.write([t.put('b', [t.token('x')], {}, 'meanwhile')]);
    await expect(found()).rejects.toThrow(IndexPending);
    expect(await t.pending(store)).toContainEqual({ type: t.typeName, param: '_created', done: 0, of: 5 });
    expect(await found(demo, all, [{ by: 'id', descending: false } satisfies Sort])).toBe('a b c d e');
    await reopen();
    await untilReady();
    expect(await found()).toBe(order);
    expect(await differences()).toEqual([]);
  });
}
