import { MongoClient, type ClientSession, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newMongoPlace, type Place } from '../support/mongodb/place.ts';
import { touchedIn } from '../support/mongodb/router.ts';

// What the simulated router of a sharded cluster refuses and counts, by the rules of MongoDB 7.0 that
// `support/mongodb/bridge/referee.ts` names.
const { router, simulated } = inject('deployment');

describe.skipIf(!simulated || router === null)('the simulated router (left out on another server)', () => {
  let place: Place;
  let client: MongoClient;
  const things = () => client.db().collection<Document & { _id: string }>('things');
  const shard = (name: string, key: object): Promise<Document> =>
    client.db('admin').command({ shardCollection: `${client.db().databaseName}.${name}`, key });
  beforeAll(async () => {
    place = await newMongoPlace(router ?? '');
    client = new MongoClient(place.url);
    await shard('things', { p: 1, b: 1, _id: 1 });
    await shard('hashed', { _id: 'hashed' });
    await client.db().createCollection('alone');
    await things().insertMany(['a', 'b', 'c'].map(id => ({ _id: `1/${id}`, p: '1', b: `b${id}`, n: 0 })));
  });
  afterAll(async () => {
    await client.close();
    await place.remove();
  });

  const whole = { p: '1', b: 'ba', _id: '1/a' };
  const inTransaction = (work: (session: ClientSession) => Promise<unknown>): Promise<unknown> =>
    client.withSession(async session => {
      session.startTransaction();
      const done = await work(session);
      await session.commitTransaction();
      return done;
    });

  it.each<[string, number, () => Promise<unknown>]>([
    ['an update of one by part of the key', 72, () => things().updateOne({ p: '1' }, { $set: { n: 1 } })],
    ['a delete of one by another field', 61, () => things().deleteOne({ n: 0 })],
    ['a findAndModify without the key', 61, () => things().findOneAndUpdate({ _id: '1/a' }, { $set: { n: 1 } })],
    ['an upsert without the key', 61, () => things().updateOne({ _id: '1/x' }, { $set: { n: 1 } }, { upsert: true })],
    ['a change of the key of many', 72, () => things().updateMany(whole, { $set: { b: 'x' } })],
    ['a change of the key by `_id` alone', 31_025, () => things().updateOne({ _id: '1/a' }, { $set: { b: 'x' } })],
    [
      'a change of the key among other writes',
      72,
      () =>
        things().bulkWrite(
          ['a', 'b'].map(id => ({
            updateOne: { filter: { p: '1', b: `b${id}`, _id: `1/${id}` }, update: { $set: { b: 'x' } } },
          })),
        ),
    ],
    ['a unique index that does not begin with the key', 67, () => things().createIndex({ n: 1 }, { unique: true })],
    [
      '`$out` to a sharded collection',
      28_769,
      () =>
        things()
          .aggregate([{ $out: 'hashed' }])
          .toArray(),
    ],
    [
      '`$lookup` of a sharded collection in a transaction',
      3_904_800,
      () =>
        inTransaction(session =>
          things()
            .aggregate([{ $lookup: { from: 'hashed', localField: 'n', foreignField: 'n', as: 'x' } }], { session })
            .toArray(),
        ),
    ],
    [
      '`$unionWith` in a transaction',
      263,
      () =>
        inTransaction(session =>
          things()
            .aggregate([{ $unionWith: { coll: 'alone' } }], { session })
            .toArray(),
        ),
    ],
    [
      'a new collection in a transaction on several shards',
      263,
      () =>
        inTransaction(async session => {
          await things().updateMany({}, { $inc: { n: 1 } }, { session });
          await client.db().collection('fresh').insertOne({}, { session });
        }),
    ],
    ['another shard key', 23, () => shard('things', { p: 1, _id: 1 })],
  ])('refuses %s', async (_, code, work) => {
    await expect(work()).rejects.toMatchObject({ code });
    expect(await things().countDocuments({ n: 0 })).toBe(3);
  });

  it('refuses a change of the key outside of a transaction and of a retryable write', async () => {
    const own = new MongoClient(place.url, { retryWrites: false });
    const change = own
      .db()
      .collection<{ _id: string }>('things')
      .updateOne(whole, { $set: { b: 'x' } });
    await expect(change).rejects.toMatchObject({ originalError: { code: 20 } }); // as the driver wraps this code
    await own.close();
  });

  it('takes what a cluster takes', async () => {
    await things().updateOne({ _id: '1/a' }, { $set: { m: 1 } });
    await things().updateOne(whole, { $set: { b: 'bx' } });
    await inTransaction(session => things().updateOne({ ...whole, b: 'bx' }, { $set: { b: 'ba' } }, { session }));
    await things().createIndex({ p: 1, b: 1, _id: 1, n: 1 }, { unique: true });
    expect(await things().countDocuments(whole)).toBe(1);
  });

  it.each<[string, object, 'one' | 'few' | 'all']>([
    ['the whole key', whole, 'one'],
    ['the first two fields', { p: '1', b: 'ba' }, 'one'],
    ['the first two fields in parts', { $and: [{ p: '1' }, { b: { $eq: 'ba' }, n: 0 }] }, 'one'],
    ['several values of the second', { p: '1', b: { $in: ['ba', 'bb'] } }, 'few'],
    ['the first field', { p: '1', n: { $gt: -1 } }, 'few'],
    ['alternatives of whole keys', { $or: [whole, { p: '1', b: 'bb' }] }, 'few'],
    ['alternatives beside the first field', { p: '1', $or: [{ b: 'ba' }, { n: 0 }] }, 'few'],
    ['alternatives of which one lacks it', { $or: [whole, { n: 0 }] }, 'all'],
    ['the last field', { _id: '1/a' }, 'all'],
    ['nothing', {}, 'all'],
  ])('a find with %s', async (_, filter, reach) => {
    await touchedIn(client.db());
    await things().find(filter).toArray();
    const [touched] = await touchedIn(client.db());
    expect(touched).toMatchObject({ command: 'find', collection: 'things', reach });
    expect(touched?.shards).toBeLessThanOrEqual({ one: 1, few: 3, all: 8 }[reach]);
    const explained = await things().find(filter).explain('queryPlanner');
    const plan = explained['queryPlanner'] as { winningPlan: { shards: readonly unknown[] } };
    expect(plan.winningPlan.shards).toHaveLength(touched?.shards ?? 0);
  });
});
