// How often searches used each index, of several processes and of the last days.
import { expect, it, onTestFinished } from 'vitest';
import type { DocumentStore } from '../../src/store/port/documents.ts';
import { createIndexUsage, readIndexUsage, usageCollection } from '../../src/store/server/index-usage.ts';
import type { IndexUsage } from '../../src/store/server/index-usage.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';

const day = 86_400_000;
const model = t.modelOf();

/** The indexes that are used, as `code use: uses last`. */
async function read(documents: DocumentStore, now: number, days = 7): Promise<readonly string[]> {
  const { indexes } = await readIndexUsage(documents, model, days, now);
  return indexes.filter(({ uses }) => uses > 0).map(({ code, use, uses, last }) => `${code} ${use}: ${uses} ${last}`);
}

/** What a store promises of the uses of indexes. */
export function indexUsageContract(newPlace: () => Promise<t.Place>): void {
  const open = async (process: string, clock: { now: number }, place?: t.Place) => {
    const at = place ?? (await newPlace());
    const usage = createIndexUsage(process, () => clock.now);
    const options = { model, now: () => clock.now, used: usage.count };
    const opened = await t.openDemo(at.url, { ...options, mode: place === undefined ? 'serve' : 'command' });
    onTestFinished(async () => {
      await opened.store.close();
      if (place === undefined) await at.remove();
    });
    return { ...opened, place: at, usage, documents: opened.store.documents(usageCollection) };
  };
  const type = [...model.types.values()][0];
  if (type === undefined) throw new Error('The model has no type');
  const count = (usage: IndexUsage, times: number): void => {
    for (let at = 0; at < times; at += 1) usage.count(type, 'code', 'search');
  };

  it('counts the indexes of parameters, pairs and orders, of searches and of counts', async () => {
    const clock = { now: Date.UTC(2026, 10, 23) };
    const { demo, usage, documents } = await open('one', clock);
    await demo.write([t.put('a', [t.ownedBy('1'), t.token('x'), t.named('Ann'), t.on(1)])]);
    const search = (query: Parameters<typeof demo.count>[1], sort = t.newest): Promise<unknown> =>
      demo.search(t.typeName, { query: query ?? { kind: 'all' }, sort, limit: 5 });
    await search(t.and(t.isOf('1'), t.hasCode('x')));
    await search(t.and(t.isNamed('ann'), { kind: 'not', of: t.hasCode('y') }));
    await demo.count(t.typeName, t.isNamed('ann'));
    await search(undefined, [{ by: 'id', descending: false }]);
    expect(await read(documents, clock.now)).toEqual([]);
    await usage.flush(documents);
    expect((await read(documents, clock.now)).toSorted()).toEqual([
      'code search: 1 2026-11-23',
      'date sort: 2 2026-11-23',
      'name search: 2 2026-11-23',
      'owner+code search: 1 2026-11-23',
    ]);
    const { indexes } = await readIndexUsage(documents, model, 1, clock.now);
    const never = indexes.filter(({ uses }) => uses === 0).map(({ code, use }) => `${code} ${use}`);
    expect(never.toSorted()).toEqual(['date search', 'owner search']);
  });

  it('adds up processes and days, and forgets old ones', async () => {
    const clock = { now: Date.UTC(2026, 10, 23, 23, 59) };
    const one = await open('one', clock);
    const two = await open('two', clock, one.place);
    count(one.usage, 3);
    count(two.usage, 4);
    await Promise.all([one.usage.flush(one.documents), two.usage.flush(two.documents)]);
    count(one.usage, 10);
    await one.usage.flush(one.documents);
    expect(await read(two.documents, clock.now)).toEqual(['code search: 17 2026-11-23']);
    clock.now += day;
    count(one.usage, 1);
    await one.usage.flush(one.documents);
    expect(await read(two.documents, clock.now)).toEqual(['code search: 18 2026-11-24']);
    expect(await read(two.documents, clock.now, 1)).toEqual(['code search: 1 2026-11-24']);
    clock.now += 31 * day;
    expect(await read(two.documents, clock.now, 31)).toEqual([]);
  });

  it('stores a bounded number of documents a day, however often a server starts', async () => {
    const clock = { now: Date.UTC(2026, 10, 23) };
    const { documents } = await open('one', clock);
    for (let start = 0; start < 67; start += 1) {
      const usage = createIndexUsage(`start ${start}`, () => clock.now);
      count(usage, 1);
      await usage.flush(documents);
      await usage.flush(documents);
    }
    expect((await list(documents.list())).length).toBe(64);
    expect(await read(documents, clock.now)).toEqual(['code search: 67 2026-11-23']);
  });

  it('loses nothing if the store cannot be written for a while', async () => {
    const clock = { now: Date.UTC(2026, 10, 23) };
    const { usage, documents, store } = await open('one', clock);
    count(usage, 2);
    const broken = { ...documents, put: () => Promise.reject(new Error('full')) } as unknown as DocumentStore;
    await expect(usage.flush(broken)).rejects.toThrow('full');
    count(usage, 1);
    await usage.flush(store.documents(usageCollection));
    expect(await read(documents, clock.now)).toEqual(['code search: 3 2026-11-23']);
  });
}
