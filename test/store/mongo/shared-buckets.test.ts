import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LimitDocument } from '../../../src/store/mongo/layout.ts';
import type { SharedBuckets } from '../../../src/store/port/shared-buckets.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import type { Place } from '../../support/store-place.ts';
import { openDemo } from '../support/fixture.ts';

/** So slow that a bucket gets no token during a test. */
const slow = { capacity: 100, perSecond: 0.001 };
const rate = { capacity: 100, perSecond: 10 };

let place: Place;
let client: MongoClient;
let stores: readonly Store[];
let one: SharedBuckets;
let other: SharedBuckets;
beforeEach(async () => {
  place = await newMongoPlace();
  client = await new MongoClient(place.url).connect();
  stores = [(await openDemo(place.url)).store, (await openDemo(place.url, { mode: 'command' })).store];
  [one, other] = stores.map(({ buckets }) => buckets) as [SharedBuckets, SharedBuckets];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await client.close();
  await place.remove();
});

const limits = () => client.db().collection<LimitDocument>('limits');
/** Moves the last use of every bucket, in milliseconds. */
const move = (by: number) => limits().updateMany({}, [{ $set: { at: { $add: ['$at', by] } } }]);

describe('the buckets of all servers of a database', () => {
  it('are full at first, and lend to all of them what there is', async () => {
    expect(await one.lend('a', slow, 1, 10)).toEqual({ tokens: 10, left: 90 });
    expect(await other.lend('a', slow, 1, 85)).toMatchObject({ tokens: 85, left: expect.closeTo(5, 1) });
    expect(await one.lend('a', slow, 6, 20)).toMatchObject({ tokens: 0, left: expect.closeTo(5, 1) });
    expect(await other.lend('a', slow, 5, 20)).toMatchObject({ tokens: expect.closeTo(5, 1), left: 0 });
    expect(await one.lend('b', slow, 1, 10)).toEqual({ tokens: 10, left: 90 });
  });

  it('are filled up by the clock of the database, never above their capacity', async () => {
    await one.lend('a', rate, 100, 100);
    await move(-2_000);
    const { tokens } = await other.lend('a', rate, 1, 100);
    expect(tokens).toBeGreaterThanOrEqual(20);
    expect(tokens).toBeLessThan(60);
    await move(-60_000);
    expect((await one.lend('a', rate, 1, 500)).tokens).toBe(100);
  });

  it('get nothing while the clock of another primary is late', async () => {
    await one.lend('a', rate, 100, 100);
    await move(60_000);
    const { at } = (await limits().findOne())!; // a bucket was made
    expect(await other.lend('a', rate, 1, 1)).toEqual({ tokens: 0, left: 0 });
    expect((await limits().findOne())?.at).toEqual(at);
  });

  it('take back what was not used', async () => {
    await one.lend('a', slow, 50, 50);
    await one.give('a', slow, 30);
    expect((await other.lend('a', slow, 80, 80)).tokens).toBe(80);
    await other.give('a', slow, 500);
    expect((await one.lend('a', slow, 1, 500)).tokens).toBe(100);
    await one.give('unknown', slow, 5);
    expect(await limits().countDocuments()).toBe(1);
  });

  it('lend no more when many ask at the same time, and a bucket is made once', async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? one : other).lend('a', slow, 3, 3)),
    );
    expect(all.filter(({ tokens }) => tokens > 0)).toHaveLength(33);
    expect(await limits().countDocuments()).toBe(1);
  });

  it('are deleted by the database when they are full, and do not show whose they are', async () => {
    await one.lend('address 203.0.113.7', rate, 1, 1);
    const found = (await limits().findOne())!; // a bucket was made
    expect(found.expires.getTime() - found.at.getTime()).toBe(10_000);
    expect(found._id).toMatch(/^[\w-]{22}$/);
    expect(Object.keys(found).toSorted()).toEqual(['_id', 'at', 'expires', 'lent', 'tokens']);
    expect(await limits().indexes()).toContainEqual(
      expect.objectContaining({ key: { expires: 1 }, expireAfterSeconds: 0 }),
    );
  });

  it('reject while the store is closed', async () => {
    await stores[0]?.close();
    await expect(one.lend('a', rate, 1, 1)).rejects.toThrow('closed');
    await expect(one.give('a', rate, 1)).rejects.toThrow('closed');
  });
});
