import { afterEach, beforeEach, expect, it } from 'vitest';
import { meta, servers } from '../../../src/store/mongo/collections.ts';
import { sayThere, sweepServers } from '../../../src/store/mongo/heartbeat.ts';
import { inTransaction } from '../../../src/store/mongo/transaction.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import { openCore } from './support/core.ts';

let place: Place;
let one: Awaited<ReturnType<typeof openCore>>;
let other: Awaited<ReturnType<typeof openCore>>;
beforeEach(async () => {
  place = await newMongoPlace();
  [one, other] = [await openCore(place.url), await openCore(place.url)];
});
afterEach(async () => {
  await one.close();
  await other.close();
  await place.remove();
});

/** A process on another host that has said nothing for a minute. */
const silence = () =>
  servers(one.database).updateOne({ _id: one.process }, [
    { $set: { host: 'elsewhere', seen: { $subtract: ['$$NOW', 60_000] } } },
  ]);
const sessionsOf = async (): Promise<number> =>
  (await servers(one.database).findOne({ _id: one.process }))?.sessions?.length ?? 0;

it('the open transaction of a silent process is ended by another one, so that no write waits for it', async () => {
  const written = { $set: { value: 1 } };
  let attempts = 0;
  await inTransaction(one, async session => {
    attempts += 1;
    await meta(one.database).updateOne({ _id: 'x' }, written, { upsert: true, session });
    if (attempts > 1) return;
    await silence();
    await sweepServers(other);
    await meta(other.database).updateOne({ _id: 'x' }, written, { upsert: true });
  });
  expect(attempts).toBe(2);
});

it('a process that comes back after a silence names its sessions again, with its next heartbeat', async () => {
  await inTransaction(one, session => meta(one.database).findOne({}, { session }));
  expect(await sessionsOf()).toBe(1);
  await silence();
  await sweepServers(other);
  expect(await sessionsOf()).toBe(0);
  await sayThere(one);
  expect(await sessionsOf()).toBe(1);
});
