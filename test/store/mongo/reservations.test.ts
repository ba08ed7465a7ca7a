import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { history } from '../../../src/store/mongo/core.ts';
import { places, reservations } from '../../../src/store/mongo/collections.ts';
import { writeTogether } from '../../../src/store/mongo/write.ts';
import { StoreUnavailable } from '../../../src/store/port/errors.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { cluster, describeOnCluster } from '../../support/mongodb/cluster.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { openCore } from './support/core.ts';

// What a crash between two steps of a write leaves, and what several writers at once make of the same criteria.

let place: t.Place;
let store: Store;
let demo: Partition;
let core: Awaited<ReturnType<typeof openCore>>;
let p: string;
beforeEach(async () => {
  place = await newMongoPlace();
  ({ store, demo } = await t.openDemo(place.url));
  core = await openCore(place.url);
  p = (await core.registry.partition('demo'))?.p ?? '';
});
afterEach(async () => {
  await core.close();
  await store.close();
  await place.remove();
});

describe('writes that a store on a single server left unfinished', () => {
  const leave = (expires: number) =>
    reservations(core.database).insertOne({
      _id: 'left',
      p,
      key: 'k',
      body: 'body',
      id: 'a',
      expires,
    });

  it('are refused by the next start, which names the version that finishes them', async () => {
    await leave(Date.now() + 1_000_000);
    await expect(openCore(place.url)).rejects.toThrow(/left unfinished. Start version 0\.1\.0 .* or wait until 20/);
  });

  it('are deleted when they have expired', async () => {
    await leave(Date.now() - 1);
    await (await openCore(place.url)).close();
    expect(await reservations(core.database).countDocuments()).toBe(0);
  });
});

it('fifty creates by the same criteria, in two processes, make one record', async () => {
  const change = (id: string) => t.put(id, [t.token('x')], { precondition: { is: 'no-match', query: t.hasCode('x') } });
  const other = await t.openDemo(place.url);
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? demo : other.demo).write([change(`r${at}`)])),
  );
  await other.store.close();
  const outcomes = results.flat().map(({ outcome }) => outcome);
  expect(outcomes.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'matched')]);
  expect(await demo.count(t.typeName, t.hasCode('x'))).toBe(1);
  expect(await reservations(core.database).countDocuments()).toBe(0);
});

describe('an update after a crash that left', () => {
  it('the version before in the history: the next one keeps it once', async () => {
    await demo.write([t.put('a', [t.token('1')])]);
    await demo.write([t.put('a', [t.token('2')])]);
    const older = await history(core, t.typeName).findOne();
    await demo.write([t.put('b', [t.token('1')])]);
    if (older === null) throw new Error('The version is not there');
    await history(core, t.typeName).insertOne({ ...older, _id: `${p}/b/0000000001` });
    for (const unit of ['all', 'each'] as const) await demo.write([t.put('b', [t.token(unit)])], { unit });
    expect(await history(core, t.typeName).countDocuments({ _id: { $gt: `${p}/b/` } })).toBe(2);
  });

  it('or a replaced primary, another version than the acknowledged one: that one is kept', async () => {
    const changes = ['a', 'b'].map(id => t.put(id, [t.token('1')]));
    await demo.write(changes, { unit: 'each' });
    for (const id of ['a', 'b']) {
      const [_id, updated] = [`${p}/${id}/0000000001`, 1];
      await history(core, t.typeName).insertOne({ _id, p, b: '', version: 1, updated, text: '{}' });
    }
    await demo.write([t.put('a', [t.token('2')])]);
    await demo.write(['b', 'c'].map(id => t.put(id, [t.token('2')])), { unit: 'each' }); // prettier-ignore
    for (const id of ['a', 'b']) expect((await demo.read(t.typeName, id, 1))?.text).toContain('entries');
  });
});

it('a change that has lost a race is not begun again when its caller got a timeout', async () => {
  await demo.write([t.put('a', [t.token('0')])]);
  const partition = (await core.registry.partition('demo'))!; // added when it was opened
  const hurried = { ...core, options: { ...core.options, timeout: 1 } };
  const all = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => writeTogether(hurried, partition, [t.put('a', [t.token(`n${at}`)])], {})),
  );
  const refused = all.filter(one => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
  expect((await demo.read(t.typeName, 'a'))?.version).toBe(1 + all.length - refused.length);
});

describeOnCluster('a create after a crash that left', () => {
  it('the place of its id: a create with another owner takes the id over', async () => {
    const routed = await newMongoPlace(cluster);
    onTestFinished(() => routed.remove());
    const sharded = await t.openDemo(routed.url);
    const core = await openCore(routed.url);
    onTestFinished(() => core.close());
    const p = (await core.registry.partition('demo'))?.p ?? '';
    await places(core.database).insertOne({ _id: `${p}/${t.typeName}/a`, b: 'none' });
    expect(await sharded.demo.read(t.typeName, 'a')).toBeUndefined();
    await sharded.demo.write([t.put('a', [t.ownedBy('p1')], { precondition: { is: 'absent' } })]);
    const [first] = await places(core.database).find().toArray();
    await sharded.demo.write([t.put('a', [t.ownedBy('p2')])]);
    const [second] = await places(core.database).find().toArray();
    expect(new Set([first?.b, second?.b, 'none']).size).toBe(3);
    // The resource has not moved yet: it is found all the same.
    await places(core.database).updateOne({ _id: `${p}/${t.typeName}/a` }, { $set: { b: 'none' } });
    expect((await sharded.demo.read(t.typeName, 'a'))?.version).toBe(2);
    expect(await t.find(sharded.demo, t.isOf('p2'))).toEqual(['a']);
    await sharded.store.close();
  });
});
