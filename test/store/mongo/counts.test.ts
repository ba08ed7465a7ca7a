import { afterEach, beforeEach, expect, it } from 'vitest';
import { countOf } from '../../../src/store/mongo/count.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { openCore } from './support/core.ts';

let place: t.Place;
let store: Store;
let demo: Partition;
beforeEach(async () => {
  place = await newMongoPlace();
  ({ store, demo } = await t.openDemo(place.url));
});
afterEach(async () => {
  await store.close();
  await place.remove();
});

it('counts what a partition has, however many keys at once, also without the index', async () => {
  const ids = Array.from({ length: 12 }, (_, at) => `r${at}`);
  await demo.write(ids.map(id => t.put(id)), t.each); // prettier-ignore
  await demo.write([t.remove('r3')]);
  await store.partitions.add('other', { zone: 'UTC' });
  await (await store.partition('other'))?.write([t.put('a'), t.put('z')], t.each);
  const core = await openCore(place.url);
  const p = (await core.registry.partition('demo'))?.p ?? '';
  for (const atOnce of [1, 5, 10, 11, 12, 100])
    expect([atOnce, await countOf(core, p, t.typeName, atOnce)]).toEqual([atOnce, 11]);
  await core.database.collection(t.typeName).dropIndex('t');
  expect(await countOf(core, p, t.typeName, 5)).toBe(11);
  expect(await countOf(core, p, 'Absent')).toBe(0);
  await core.close();
});
