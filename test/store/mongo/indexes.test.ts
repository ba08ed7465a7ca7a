import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Document, MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/open.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { indexSteps } from '../support/verified.ts';

const child = fileURLToPath(new URL('support/rebuild-child.ts', import.meta.url));
/** The model without `code`, so that what it writes lacks the entries of it. */
const without = t.modelOf([t.owner, t.name, t.date], 'without');

let place: Place;
let client: MongoClient;
beforeEach(async () => {
  place = await newMongoPlace();
  client = new MongoClient(place.url);
});
afterEach(async () => {
  await client.close();
  await place.remove();
});

const basics = () => client.db().collection<Document & { _id: string }>(t.typeName);
/** Closed with the test. */
const open = async (options: Partial<StoreOptions> = {}) => {
  const opened = await t.openDemo(place.url, options);
  onTestFinished(() => opened.store.close());
  return opened;
};
/** Writes records by a process that has the model without `code`. */
const fill = async (count: number): Promise<void> => {
  const { store, demo } = await t.openDemo(place.url, { model: without });
  for (let from = 0; from < count; from += 100)
    await demo.write(Array.from({ length: 100 }, (_, at) => record(from + at)), { unit: 'each' }); // prettier-ignore
  await store.close();
};
const record = (at: number) => t.put(`r${at}`, [t.token(`c${at % 5}`), t.named(`N ${at}`), t.on(at), t.ownedBy('p')]);
const differences = async (store: Store) =>
  (await indexSteps(store, 'demo')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));
const progress = async (store: Store) => (await t.pending(store)).map(({ done }) => done)[0] ?? Infinity;

describe('a rebuild', () => {
  it('by two servers at once, beside writes of both, misses nothing and never goes back', async () => {
    await fill(1_000);
    const [one, two] = [await open(), await open()];
    const seen: number[][] = [[], []];
    for (let at = 0; at === 0 || (seen[0]?.at(-1) ?? 0) < Infinity; at += 1) {
      await Promise.all([
        one.demo.write([t.put(`r${at % 1_000}`, [t.token('changed')])]),
        two.demo.write([t.put(`r${999 - (at % 1_000)}`, [t.token('changed')])]),
        two.demo.write([t.put(`new${at}`, [t.token('new')]), t.remove(`r${(at * 7) % 1_000}`)], { unit: 'each' }),
      ]);
      for (const [who, { store }] of [one, two].entries()) seen[who]?.push(await progress(store));
    }
    for (const numbers of seen) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(seen[0]?.filter(done => done < Infinity).length).toBeGreaterThan(3);
    expect(await differences(one.store)).toEqual([]);
  });

  it('that is killed continues where it stopped', async () => {
    await fill(2_000);
    const observer = await open({ mode: 'read' });
    let last = 0;
    for (let round = 0; round < 3; round += 1) {
      const server = spawn(process.execPath, [child, place.url], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(server.stdout, 'data');
      const before = last;
      await until(async () => (await progress(observer.store)) > before);
      server.kill('SIGKILL');
      await once(server, 'close');
      const now = await progress(observer.store);
      expect(now).toBeGreaterThan(before);
      last = now;
    }
    expect(last).toBeLessThan(2_000);
    const { store } = await open();
    const first = await progress(store);
    expect(first).toBeGreaterThanOrEqual(last);
    await until(async () => (await progress(store)) === Infinity);
    expect(await differences(store)).toEqual([]);
  });

  it('is not over while an older server may still write, and finds what it wrote', async () => {
    await fill(100);
    const older = await open({ model: without });
    const [sent] = await basics().find().toArray();
    if (sent === undefined) throw new Error('The record is not there');
    const { store } = await open({ deadline: 200 });
    await until(async () => (await basics().countDocuments({ t: /\|code\|/ })) === 100);
    // What the older one has sent may arrive now.
    await basics().insertOne({ ...sent, _id: `${String(sent['p'])}/before-all` });
    expect(await t.pending(store)).toMatchObject([{ param: 'code' }]);
    await until(async () => (await progress(store)) === Infinity);
    expect(await basics().countDocuments({ t: /\|code\|/ })).toBe(101);
    expect(await differences(store)).toEqual([]);
    await expect(older.demo.write([record(0)])).rejects.toThrow('other definitions');
  });

  it('that is asked for makes again what follows the definitions, of one parameter or all', async () => {
    const { store, demo } = await open({ mode: 'command' });
    await demo.write(
      Array.from({ length: 250 }, (_, at) => record(at)),
      { unit: 'each' },
    );
    await basics().updateMany({}, { $set: { t: [], n: [], o: {} } });
    const steps = await list(store.indexes.rebuild('demo', t.typeName, 'code'));
    expect(new Set(steps.map(({ param, of }) => `${param} ${of}`)).size).toBeGreaterThan(0);
    expect(await differences(store)).toEqual([]);
    await expect(list(store.indexes.rebuild('demo', t.typeName, 'none'))).rejects.toThrow('`none`');
    await expect(list(store.indexes.rebuild('demo', 'None'))).rejects.toThrow('`None`');
    await expect(list(store.indexes.rebuild('none'))).rejects.toThrow('`none`');
  });
});

/** Manual changes of the fields of a document, and the findings of a verification. */
const damages: readonly (readonly [title: string, update: Document | readonly Document[], found: RegExp])[] = [
  ['a term that is gone', { $pull: { t: /\|code\|/ } }, /Basic\/a: `code` lacks an entry/],
  ['a pair that is gone', { $pull: { t: /\|owner\+code\|/ } }, /Basic\/a: `owner\+code` lacks an entry/],
  ['the term of all that is gone', { $pull: { t: /\|\*$/ } }, /Basic\/a: `_id` lacks an entry/],
  [
    'a string that is another',
    [{ $set: { s: [{ $concat: [{ $first: '$s' }, 'x'] }] } }],
    /Basic\/a: `name` has an entry too many/,
  ],
  ['a date that is another', { $inc: { 'd.0.hi': 1 } }, /Basic\/a: `date` lacks an entry/],
  [
    'a term of no record',
    [{ $set: { t: { $concatArrays: ['$t', [{ $concat: ['$p', '|code|Cof nobody'] }]] } } }],
    /Basic\/a: `code` has an entry too many/,
  ],
  ['a sort key that is another', { $set: { 'o.date': 'x' } }, /Basic\/a: `date` has an entry too many/],
  ['a sort key that is gone', { $unset: { 'o._updated': 1 } }, /Basic\/a: `_lastUpdated` lacks an entry/],
];

describe('verify on MongoDB', () => {
  it('finds a time of creation that is another, and a rebuild mends it', async () => {
    const model = t.modelOf([t.owner, t.code, t.name], 'undated');
    const { store, demo } = await open({ mode: 'command', model });
    await demo.write([t.put('a', [t.token('c1')])]);
    await demo.write([t.put('a', [t.token('c2')])]);
    const [before] = await basics().find().toArray();
    await basics().updateMany({ _id: /\/a$/ }, { $set: { 'o._created': 'x' } });
    expect((await differences(store)).join('\n')).toMatch(/Basic\/a: `_created` lacks an entry/);
    await list(store.indexes.rebuild('demo'));
    expect(await differences(store)).toEqual([]);
    expect((await basics().find().toArray())[0]?.['o']).toEqual(before?.['o']);
  });

  it.each(damages)('finds %s, and a rebuild mends it', async (_, update, found) => {
    const { store, demo } = await open({ mode: 'command' });
    await demo.write(
      ['a', 'b'].map(id => t.put(id, [t.token('c1'), t.named(`N ${id}`), t.on(19_723), t.ownedBy('p')])),
      { unit: 'each' },
    );
    await demo.write([t.remove('b')]);
    expect(await differences(store)).toEqual([]);
    const { modifiedCount } = await basics().updateMany({ _id: /\/a$/ }, update); // one, of whatever shard
    expect(modifiedCount).toBe(1);
    expect((await differences(store)).join('\n')).toMatch(found);
    await list(store.indexes.rebuild('demo'));
    expect(await differences(store)).toEqual([]);
  });
});

/** On a sharded cluster other indexes are needed. */
const named = (index: string): string => (inject('deployment').sharded ? `${index}_shard` : index);

describe('the indexes of the database', () => {
  it('that are missing or no longer needed are named; the latter are dropped on request', async () => {
    await (await t.openDemo(place.url)).store.close();
    await basics().createIndex({ x: 1 }, { name: 'somebody’s' });
    const other = t.modelOf([t.owner, t.code, t.name], 'no sort date');
    const { store } = await open({ mode: 'command', model: other });
    const byCreation = { collection: 'Basic', name: named('t__created'), state: 'missing' } as const;
    expect(await store.indexes.database()).toEqual([
      byCreation,
      { collection: 'Basic', name: named('t_date'), state: 'unused' },
    ]);
    await basics().dropIndex(named('s'));
    expect(await store.indexes.database()).toEqual([
      byCreation,
      { collection: 'Basic', name: named('s'), state: 'missing' },
      { collection: 'Basic', name: named('t_date'), state: 'unused' },
    ]);
    const found = await store.indexes.database({ drop: true });
    expect(found.filter(({ state }) => state === 'unused').map(({ name }) => name)).toEqual([named('t_date')]);
    expect(await store.indexes.database()).toEqual([
      byCreation,
      { collection: 'Basic', name: named('s'), state: 'missing' },
    ]);
    expect((await basics().indexes()).map(({ name }) => name)).toContain('somebody’s');
  });

  it('are not dropped by who has other definitions than a server that runs', async () => {
    await open();
    const model = t.modelOf([t.owner, t.code, t.name], 'no sort date');
    const options = { model, extract: t.extract, now: Date.now, mode: 'command', deadline: 5_000 } as const;
    const other = await openStore(place.url, options);
    await expect(other.indexes.database({ drop: true })).rejects.toThrow('other definitions');
    await other.close();
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds()) && Date.now() < end) await new Promise(done => setTimeout(done, 20));
  expect(await holds()).toBe(true);
}
