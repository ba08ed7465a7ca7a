import { afterEach, beforeEach, expect, it } from 'vitest';
import { IndexPending, StoreUnavailable } from '../../src/store/port/errors.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import * as t from './support/fixture.ts';
import { indexSteps } from './support/verified.ts';

/** A server takes other definitions while it runs; requests that are running end with those they began with. */
export function redefineContract(newPlace: () => Promise<t.Place>): void {
  const narrow = t.modelOf([t.owner, t.code, t.date], 'narrow');
  const wide = t.modelOf([t.owner, t.code, t.date, t.name], 'wide');
  /** The codes get other entries: another digest of the same parameter. */
  const otherCode = { ...t.code, digest: 'other' };
  const changed = t.modelOf([t.owner, otherCode, t.date], 'changed');

  let place: t.Place;
  let store: Store;
  let demo: Partition;

  beforeEach(async () => {
    place = await newPlace();
    ({ store, demo } = await t.openDemo(place.url, { model: narrow }));
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });

  const redefined = async (model: typeof narrow, lead = true): Promise<{ latest: Store; now: Partition }> => {
    const latest = await store.redefine({ model, extract: t.extract }, lead);
    const now = await latest.partition('demo');
    if (now === undefined) throw new Error('The partition is not there');
    return { latest, now };
  };
  const find = async (of: Partition, query = t.hasCode('x')): Promise<readonly string[]> => {
    const { versions } = await of.search(t.typeName, { query, sort: t.newest, limit: 1_000 });
    return versions.map(({ id }) => id).toSorted();
  };
  const untilReady = async (latest: Store): Promise<void> => {
    await expect.poll(() => t.pending(latest), { timeout: 20_000, interval: 20 }).toEqual([]);
  };
  const clean = async (latest: Store): Promise<void> =>
    expect((await indexSteps(latest, 'demo')).flatMap(({ findings }) => findings)).toEqual([]);

  it('says which definitions apply', async () => {
    expect((await store.check()).definitions).toBe('narrow');
    const { latest } = await redefined(wide);
    expect((await latest.check()).definitions).toBe('wide');
  });

  it('indexes what is stored in the background, and what is written at once', async () => {
    await demo.write([t.put('before', [t.token('x'), t.named('Ann')])]);
    const { latest, now } = await redefined(wide);
    await now.write([t.put('after', [t.token('x'), t.named('Anna')])]);
    await untilReady(latest);
    expect(await find(now, t.isNamed('ann'))).toEqual(['after', 'before']);
    await clean(latest);
  });

  it('a type without records is searchable at once', async () => {
    const { now } = await redefined(wide);
    expect(await find(now, t.isNamed('ann'))).toEqual([]);
  });

  it('requests that began before read on, and write entries of the new definitions', async () => {
    await demo.write([t.put('a', [t.token('x')])]);
    const { latest, now } = await redefined(wide);
    await demo.write([t.put('b', [t.token('x'), t.named('Ann')])]);
    expect(await find(demo)).toEqual(['a', 'b']);
    await untilReady(latest);
    expect(await find(now, t.isNamed('ann'))).toEqual(['b']);
    await clean(latest);
  });

  it('an index that is no longer updated is not read, nor by a request that began before', async () => {
    await demo.write([t.put('a', [t.token('x')])]);
    const { latest } = await redefined(changed);
    await expect(find(demo)).rejects.toThrow(IndexPending);
    await untilReady(latest);
    await clean(latest);
  });

  it('a conditional create that began before is done if its indexes are the same, else to be repeated', async () => {
    const unless = { is: 'no-match', query: t.hasCode('x') } as const;
    await demo.write([t.put('a', [t.token('x')])]);
    await redefined(wide);
    const [result] = await demo.write([t.put('b', [t.token('x')], { precondition: unless })]);
    expect(result).toMatchObject({ outcome: 'matched', id: 'a' });
    await redefined(changed);
    const again = demo.write([t.put('c', [t.token('x')], { precondition: unless })]);
    await expect(again).rejects.toThrow(StoreUnavailable);
  });

  it('a record of a type that is no longer declared is to be written again', async () => {
    const without = { ...narrow, digest: 'without', types: new Map() };
    await redefined(without);
    await expect(demo.write([t.put('a')])).rejects.toThrow(StoreUnavailable);
    const { now } = await redefined(narrow);
    expect(await now.write([t.put('a')])).toMatchObject([{ outcome: 'created' }]);
  });

  it('partitions are added while the definitions change', async () => {
    const added = ['p1', 'p2', 'p3'].map(id => store.partitions.add(id, { zone: 'UTC' }));
    const { latest } = await redefined(wide);
    await Promise.all(added);
    await latest.partitions.add('p4', { zone: 'UTC' });
    const late = await latest.partition('p3');
    await late?.write([t.put('a', [t.named('Ann')])]);
    await expect.poll(() => t.pending(latest, 'p3'), { timeout: 20_000 }).toEqual([]);
    expect(await find(late ?? demo, t.isNamed('ann'))).toEqual(['a']);
  });

  it('no write fails while they change again and again, and each record has its entries at the end', async () => {
    const models = [wide, changed, narrow, wide, narrow, changed, wide];
    let latest = store;
    const over = new AbortController();
    let written = 0;
    const writer = async (of: number): Promise<void> => {
      for (let at = 0; !over.signal.aborted; at++, written++) {
        const partition = (await latest.partition('demo')) ?? demo; // the view of a request
        await partition.write([t.put(`r${of}-${at % 50}`, [t.token(`c${at % 3}`), t.named(`Ann ${at}`)])]);
      }
    };
    const writers = [0, 1, 2].map(writer);
    for (const model of models) {
      latest = await latest.redefine({ model, extract: t.extract }, true);
      await new Promise(done => setTimeout(done, 30));
    }
    over.abort();
    await Promise.all(writers);
    expect(written).toBeGreaterThan(models.length);
    await untilReady(latest);
    await clean(latest);
    const now = (await latest.partition('demo')) ?? demo;
    expect((await find(now, t.isNamed('ann'))).length).toBe(await now.count(t.typeName));
  });
}
