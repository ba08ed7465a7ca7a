import { afterEach, beforeEach, expect, it } from 'vitest';
import type { IndexEntry } from '../../../src/indexing/entry.ts';
import type { Extract } from '../../../src/indexing/extract.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { cluster, describeOnCluster } from '../../support/mongodb/cluster.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';

let place: t.Place;
let store: Store;
let demo: Partition;
const open = async (options: Partial<StoreOptions> = {}): Promise<void> => {
  ({ store, demo } = await t.openDemo(place.url, options));
};
beforeEach(async () => {
  place = await newMongoPlace(cluster);
  await open();
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

const write = (owners: Readonly<Record<string, string>>) =>
  demo.write(
    Object.entries(owners).map(([id, owner]) => t.put(id, [t.ownedBy(owner)])),
    t.each,
  );

/** Every owner has another id than in the text. */
const renaming: Extract = (...of) =>
  t
    .extract(...of)
    .map(({ param, value }): IndexEntry =>
      value.kind === 'reference' ? { param, value: { ...value, id: `${value.id}-new` } } : { param, value },
    );

describeOnCluster('a resource lies with its owner', () => {
  it('also where many change their owners at once', async () => {
    await write({ a: 'p1', b: 'p2', c: 'p3' });
    await write({ a: 'p2', b: 'p1', c: 'p3' });
    expect(await t.find(demo, t.isOf('p1'))).toEqual(['b']);
    expect(await t.find(demo, t.isOf('p2'))).toEqual(['a']);
    expect((await demo.read(t.typeName, 'a'))?.version).toBe(2);
    expect((await demo.read(t.typeName, 'c'))?.version).toBe(1);
  });

  it('also where other definitions say that it is another', async () => {
    await write({ a: 'p1', b: 'p2' });
    await store.close();
    const name = t.param('name', 'string', { digest: 'other' });
    await open({ model: t.modelOf([t.owner, t.code, name, t.date], 'second'), extract: renaming });
    await expect.poll(() => t.pending(store), { timeout: 20_000 }).toEqual([]);
    expect(await t.find(demo, t.isOf('p1-new'))).toEqual(['a']);
    expect(await t.find(demo, t.isOf('p1'))).toEqual([]);
    expect((await demo.read(t.typeName, 'b'))?.version).toBe(1);
  });
});
