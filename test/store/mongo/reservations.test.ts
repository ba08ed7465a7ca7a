import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/search/ast.ts';
import { applyChange } from '../../../src/store/mongo/apply.ts';
import { history, resources } from '../../../src/store/mongo/core.ts';
import { places, reservations } from '../../../src/store/mongo/collections.ts';
import type { Conditional } from '../../../src/store/port/conditional.ts';
import { matchReservation, reservationFor } from '../../../src/store/mongo/match.ts';
import { keyReservation } from '../../../src/store/mongo/reservation-id.ts';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { KeyUsed, StoreUnavailable } from '../../../src/store/port/errors.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import type { WriteResult } from '../../../src/store/port/records.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { openCore } from './support/core.ts';

// Each test inserts what a crash between two steps of a write leaves; the next process completes it, once.

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

const of = ({ outcome, first, id, version }: WriteResult) => [outcome, first, id, version];
const isNew = (code: string): Query => t.hasCode(code);

describe('a key after a crash that left', () => {
  const key = { key: 'k', body: 'body', expires: Date.now() + 1_000_000 };
  const reserve = async (id: string): Promise<string> => {
    const _id = keyReservation(p, key.key);
    await reservations(core.database).insertOne({ _id, p, type: t.typeName, id, ...key });
    return _id;
  };
  const create = (id: string) => demo.write([t.put(id, [t.token('x')], { precondition: { is: 'absent' } })], { key });

  it('a reservation: the same create gets its id, another body is refused', async () => {
    await reserve('first');
    expect(await demo.write([], { key })).toEqual([]);
    await expect(demo.write([t.put('a')], { key: { ...key, body: 'other' } })).rejects.toThrow(KeyUsed);
    expect((await create('second')).map(of)).toEqual([['repeated', 'created', 'first', 1]]);
    expect((await create('third')).map(of)).toEqual([['repeated', 'created', 'first', 1]]);
    expect((await demo.read(t.typeName, 'first'))?.text).toMatch(/^\{"resourceType":"Basic","id":"first","meta"/);
    expect(await t.find(demo, t.hasCode('x'))).toEqual(['first']);
  });

  it('the record too: it is found, also when it was changed or removed since', async () => {
    const by = await reserve('first');
    await demo.write([t.put('first', [t.token('x')])]);
    await resources(core, t.typeName).updateOne({ _id: `${p}/first` }, { $set: { by } });
    expect((await demo.write([], { key })).map(of)).toEqual([['repeated', 'created', 'first', 1]]);
    for (const change of [t.put('first', [t.token('y')]), t.remove('first')]) {
      await reservations(core.database).updateOne({ _id: by }, { $unset: { results: 1 } });
      await demo.write([change]);
      expect((await create('second')).map(of)).toEqual([['repeated', 'created', 'first', 1]]);
    }
    expect(await demo.read(t.typeName, 'first')).toMatchObject({ version: 3, text: undefined });
    expect(await demo.read(t.typeName, 'second')).toBeUndefined();
  });

  it('an update of a record: it is not done again over what came after it', async () => {
    await demo.write([t.put('a', [t.token('1')])]);
    const by = await reserve('a');
    await demo.write([t.put('a', [t.token('2')])]);
    await resources(core, t.typeName).updateOne({ _id: `${p}/a` }, { $set: { by } });
    await demo.write([t.put('a', [t.token('3')])]);
    expect((await demo.write([t.put('a', [t.token('2')])], { key })).map(of)).toEqual([
      ['repeated', 'updated', 'a', 2],
    ]);
    expect(await t.find(demo, t.hasCode('3'))).toEqual(['a']);
  });
});

describe('criteria after a crash that left', () => {
  const change = (id: string, code = 'x') =>
    t.put(id, [t.token(code)], { precondition: { is: 'no-match', query: isNew(code) } });
  const reserve = async (id: string): Promise<string> => {
    const _id = matchReservation(p, change(id) as Conditional); // as `change` makes it
    await reservations(core.database).insertOne({ _id, p, body: '', id, expires: Date.now() + 1_000_000 });
    return _id;
  };
  const left = () => reservations(core.database).countDocuments();

  it('a reservation: the next create gets its id, and the one after it matches', async () => {
    await reserve('first');
    expect((await demo.write([change('second')])).map(of)).toEqual([['created', undefined, 'first', 1]]);
    expect((await demo.write([change('third')])).map(of)).toEqual([['matched', undefined, 'first', 1]]);
    expect(await left()).toBe(0);
  });

  it('a reservation: a write that keeps its id is refused until that ends, and then has its own', async () => {
    const _id = await reserve('first');
    const { precondition, ...rest } = change('second') as Conditional;
    const keeping = { ...rest, precondition: { ...precondition, keepsId: true } };
    await expect(demo.write([keeping])).rejects.toThrow(StoreUnavailable);
    expect(await demo.count(t.typeName)).toBe(0);
    await reservations(core.database).updateOne({ _id }, { $set: { expires: Date.now() + 10_000 } });
    await expect(demo.write([change('third')])).rejects.toThrow(StoreUnavailable); // it would end too soon
    await reservations(core.database).updateOne({ _id }, { $set: { expires: Date.now() } });
    expect((await demo.write([keeping])).map(of)).toEqual([['created', undefined, 'second', 1]]);
    expect(await left()).toBe(0);
  });

  it('a reservation of a server whose `store-timeout` is long: it lasts as long as its write may take', async () => {
    const timeout = 300_000;
    const slow = { ...core, options: { ...core.options, timeout } };
    const partition = await core.registry.partition('demo');
    if (partition === undefined) throw new Error('no partition');
    const begun = core.options.now();
    const { expires } = reservationFor(slow, partition, change('first') as Conditional); // as `change` makes it
    expect(expires - begun).toBeGreaterThan(3 * timeout);
  });

  it('nothing, since its process lives: the next create waits, and has its own id if that creates none', async () => {
    const _id = await reserve('first');
    const second = demo.write([change('second')]);
    await setTimeout(50);
    await reservations(core.database).deleteOne({ _id });
    expect((await second).map(of)).toEqual([['created', undefined, 'second', 1]]);
    expect(await left()).toBe(0);
  });

  it('the record too, which has changed since: the next create gets an id of its own', async () => {
    await reserve('first');
    await demo.write([t.put('first', [t.token('other')])]);
    expect((await demo.write([change('second')])).map(of)).toEqual([['created', undefined, 'second', 1]]);
    expect(await left()).toBe(0);
  });

  it('a reservation: fifty at once, in two processes, make one record', async () => {
    await reserve('first');
    const other = await t.openDemo(place.url);
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? demo : other.demo).write([change(`r${at}`)])),
    );
    await other.store.close();
    const outcomes = results.flat().map(({ outcome, id }) => `${outcome} ${id}`);
    expect(outcomes.toSorted()).toEqual(['created first', ...Array.from({ length: 49 }, () => 'matched first')]);
    expect(await demo.count(t.typeName, isNew('x'))).toBe(1);
  });
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
    Array.from({ length: 20 }, (_, at) => applyChange(hurried, partition, t.put('a', [t.token(`n${at}`)]), {})),
  );
  const refused = all.filter(one => one.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBeGreaterThan(0);
  for (const reason of refused) expect(reason).toBeInstanceOf(StoreUnavailable);
  expect((await demo.read(t.typeName, 'a'))?.version).toBe(1 + all.length - refused.length);
});

describe('on a sharded cluster, a create after a crash that left', () => {
  it('the place of its id: a create with another owner takes the id over', async () => {
    const sharded = await t.openDemo(place.url, {}, (url, options) => openMongoStore(url, options, { sharded: true }));
    await places(core.database).insertOne({ _id: `${p}/${t.typeName}/a`, b: 'none' });
    expect(await sharded.demo.read(t.typeName, 'a')).toBeUndefined();
    await sharded.demo.write([t.put('a', [t.ownedBy('p1')], { precondition: { is: 'absent' } })]);
    const [first] = await places(core.database).find().toArray();
    await sharded.demo.write([t.put('a', [t.ownedBy('p2')])]);
    const [second] = await places(core.database).find().toArray();
    expect(new Set([first?.b, second?.b, 'none']).size).toBe(3);
    // The resource has not moved yet: it is found all the same.
    await places(core.database).updateOne({}, { $set: { b: 'none' } });
    expect((await sharded.demo.read(t.typeName, 'a'))?.version).toBe(2);
    expect(await t.find(sharded.demo, t.isOf('p2'))).toEqual(['a']);
    await sharded.store.close();
  });
});
