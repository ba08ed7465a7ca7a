import { MongoClient, type ClientSession, type MongoServerError } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../support/mongodb/bridge/faults.ts';
import { startMongo, type MongoEngine } from '../support/mongodb/engine.ts';

// What the bridge simulates of a replica set, by the rules of MongoDB 7.0 that its files name.

interface Thing {
  readonly _id: string;
  readonly n: number;
}

let engine: MongoEngine;
let client: MongoClient;
beforeAll(async () => {
  engine = await startMongo({ remembers: true });
  client = new MongoClient(engine.replicaSetUrl, { heartbeatFrequencyMS: 500, minHeartbeatFrequencyMS: 50 });
});
afterAll(async () => {
  await client.close();
  await engine.remove();
});

const things = () => client.db('d').collection<Thing>('things');
const all = (session?: ClientSession): Promise<readonly Thing[]> =>
  things()
    .find({}, session === undefined ? {} : { session })
    .sort({ _id: 1 })
    .toArray();
const fault = (one: Omit<Fault, 'database'>) => client.db('admin').command({ bridgeFault: { database: 'd', ...one } });

beforeEach(async () => {
  await things().deleteMany({});
  await things().insertMany([
    { _id: 'a', n: 1 },
    { _id: 'b', n: 1 },
  ]);
});

/** A session in a transaction, whose first command has begun it. */
async function begun(): Promise<ClientSession> {
  const session = client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' } });
  await all(session);
  return session;
}

const add = (_id: string, by: number, session?: ClientSession) =>
  things().updateOne({ _id }, { $inc: { n: by } }, session === undefined ? {} : { session });

describe('a transaction on the simulated replica set', () => {
  it('is seen in it, and by others only once it is committed', async () => {
    const session = await begun();
    await add('a', 10, session);
    await things().deleteOne({ _id: 'b' }, { session });
    await things().insertOne({ _id: 'c', n: 3 }, { session });
    const [before, after] = [
      [['a', 1], ['b', 1]], // prettier-ignore
      [['a', 11], ['c', 3]], // prettier-ignore
    ].map(list => list.map(([_id, n]) => ({ _id, n })));
    expect([await all(session), await all(), await all(session)]).toEqual([after, before, after]);
    await session.commitTransaction();
    expect(await all()).toEqual(after);
  });

  it('goes on to see what was there when it began', async () => {
    const session = await begun();
    await things().insertOne({ _id: 'c', n: 1 });
    await add('a', 5);
    expect(await all(session)).toEqual([
      { _id: 'a', n: 1 },
      { _id: 'b', n: 1 },
    ]);
    await add('b', 1, session);
    await session.commitTransaction();
    expect((await all()).map(({ n }) => n)).toEqual([6, 2, 1]);
  });

  it('leaves nothing when it is aborted, or when one of its commands fails', async () => {
    const session = await begun();
    await add('a', 5, session);
    await session.abortTransaction();
    session.startTransaction();
    await add('b', 5, session);
    const taken = things().insertOne({ _id: 'a', n: 0 }, { session });
    await expect(taken).rejects.toMatchObject({ code: 11_000 });
    await expect(add('b', 5, session)).rejects.toMatchObject({ code: 251 });
    expect((await all()).map(({ n }) => n)).toEqual([1, 1]);
  });

  it('conflicts with another that has written the same document, at once', async () => {
    const [one, other] = [await begun(), await begun()];
    await add('a', 1, one);
    const conflict = await add('a', 1, other).catch((error: unknown) => error as MongoServerError);
    expect(conflict).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    await one.commitTransaction();
    const late = await begun();
    await add('a', 1);
    await expect(add('a', 1, late)).rejects.toMatchObject({ code: 112 });
    expect((await all())[0]).toEqual({ _id: 'a', n: 3 });
  });

  it('makes a write outside of it wait, and is retried by the driver until it succeeds', async () => {
    const session = await begun();
    await add('a', 1, session);
    let isDone = false;
    const waiting = add('a', 1).then(() => (isDone = true));
    await all();
    expect(isDone).toBe(false);
    await session.commitTransaction();
    await waiting;
    const increment = (): Promise<void> =>
      client.withSession(own =>
        own.withTransaction(async () => {
          const found = await things().findOne({ _id: 'b' }, { session: own });
          await things().updateOne({ _id: 'b' }, { $set: { n: (found?.n ?? 0) + 1 } }, { session: own });
        }),
      );
    await Promise.all(Array.from({ length: 5 }, increment));
    expect((await all()).map(({ n }) => n)).toEqual([3, 6]);
  });

  it('is undone by a start when the engine was killed before its commit, and kept after it', async () => {
    const session = await begun();
    await add('a', 5, session);
    await session.commitTransaction();
    const open = await begun();
    await add('a', 100, open);
    await things().deleteOne({ _id: 'b' }, { session: open });
    await engine.kill();
    await engine.start();
    expect((await all()).map(({ n }) => n)).toEqual([6, 1]);
    await expect(add('a', 100, open)).rejects.toMatchObject({ code: 251 });
  });
});

describe('faults of the simulated replica set', () => {
  const transfer = (): Promise<void> =>
    client.withSession(session =>
      session.withTransaction(async () => {
        await add('a', 1, session);
        await add('b', 1, session);
      }),
    );
  const transient = { code: 112, codeName: 'WriteConflict', errorLabels: ['TransientTransactionError'] };

  it.each<[string, Omit<Fault, 'database'>]>([
    ['a transient error before a commit', { on: 'commitTransaction', when: 'before', does: 'error', reply: transient }],
    ['a cut after the commit', { on: 'commitTransaction', when: 'after', does: 'cut' }],
    ['a cut before the commit, which aborts', { on: 'commitTransaction', when: 'before', does: 'abort' }],
    ['a cut before the commit, which is repeated', { on: 'commitTransaction', when: 'before', does: 'cut' }],
    ['a cut in a write of it', { on: 'update', when: 'after', does: 'cut', skip: 1 }],
    ['a majority that comes late', { on: 'commitTransaction', when: 'after', does: 'majority' }],
  ])('%s: the driver commits once', async (_, one) => {
    await fault(one);
    await transfer();
    expect((await all()).map(({ n }) => n)).toEqual([2, 2]);
  });

  it('a cut after a write outside of a transaction: the driver repeats it, and it is done once', async () => {
    await fault({ on: 'update', when: 'after', does: 'cut' });
    await add('a', 1);
    expect((await all())[0]).toEqual({ _id: 'a', n: 2 });
  });

  it('a kill of the engine after a write: the driver repeats it when it is back, and it is done once', async () => {
    await fault({ on: 'update', when: 'after', does: 'kill' });
    const adding = add('a', 1);
    await engine.ended();
    await engine.start();
    await adding;
    expect((await all())[0]).toEqual({ _id: 'a', n: 2 });
  });

  it('a majority that does not come is an error of the write', async () => {
    await fault({ on: 'insert', when: 'after', does: 'majority' });
    await expect(things().insertOne({ _id: 'c', n: 1 })).rejects.toMatchObject({ code: 64 });
  });

  it('a step-down: another port is the primary, and the transaction is repeated there', async () => {
    const session = await begun();
    await add('a', 100, session);
    await client.db('admin').command({ replSetStepDown: 5, force: true });
    await transfer();
    expect((await all()).map(({ n }) => n)).toEqual([2, 2]);
    const hello = await client.db('admin').command({ hello: 1 });
    expect(hello).toMatchObject({ setName: 'rs0', isWritablePrimary: true, hosts: [expect.anything(), hello['me']] });
  });
});
