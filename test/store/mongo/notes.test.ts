import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';

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

it('the key of a write that was done, but not noted when its process crashed, is copied with its results', async () => {
  const key = { key: 'k', body: 'b', expires: Date.now() + 60_000 };
  const [result] = await demo.write([t.put('a')], { key });
  await demo.write([t.put('a', [t.token('later')])]);
  const client = new MongoClient(place.url);
  const reservations = client.db().collection('reservations');
  await reservations.updateMany({}, { $unset: { results: 1 } });
  expect(await list(store.export())).toEqual([{ kind: 'key', partition: 'demo', key, results: [result] }]);
  // Of one that was not done nothing is known.
  await reservations.updateMany({}, { $set: { id: 'never' } });
  expect(await list(store.export())).toEqual([]);
  await client.close();
});
