import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireStore } from '../../../src/store/open.ts';
import { patientClient } from '../../../src/store/mongo/connect.ts';
import { makeMissingIndexes } from '../../../src/store/mongo/database-indexes.ts';
import { layout } from '../../../src/store/mongo/prepare-database.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { StoreRefused, StoreUnavailable } from '../../../src/store/port/errors.ts';
import { newMongoPlace, withDatabase } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { openCore } from './support/core.ts';

describe('the database', () => {
  let place: t.Place;
  let client: MongoClient;
  const opened: Store[] = [];
  const open = async (options: Partial<StoreOptions> = {}) => {
    const one = await t.openDemo(place.url, options);
    opened.push(one.store);
    return one;
  };
  beforeEach(async () => {
    place = await newMongoPlace();
    client = await new MongoClient(place.url).connect();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await client.close();
    await place.remove();
  });

  it('of a newer layout is refused in every mode', async () => {
    await (await open()).store.close();
    await client
      .db()
      .collection<{ _id: string }>('meta')
      .updateOne({ _id: 'layout' }, { $set: { value: layout + 1 } });
    for (const mode of ['serve', 'command', 'read'] as const)
      await expect(open({ mode })).rejects.toThrow(/newer version/);
  });

  it('of something else is refused', async () => {
    await client.db().collection('theirs').insertOne({});
    await expect(open()).rejects.toThrow(/other content/);
    await expect(open()).rejects.toThrow(StoreRefused);
    expect(await client.db().listCollections().toArray()).toHaveLength(1);
  });

  it.each(['admin', 'config', 'local'])('%s is refused: it belongs to the server', async name => {
    const url = withDatabase(place.url, name);
    await expect(t.openDemo(url)).rejects.toThrow(`authSource=${name}`);
    await expect(requireStore(url)).rejects.toThrow(StoreRefused);
  });

  it('is not made by `read`, nor by looking whether it is there', async () => {
    await expect(open({ mode: 'read' })).rejects.toThrow(/no store/);
    await expect(requireStore(place.url)).rejects.toThrow(/no store/);
    expect(await client.db().listCollections().toArray()).toEqual([]);
    await open({ mode: 'command' });
    await requireStore(place.url);
  });

  it('that no server has is reported, without the credentials of the URL', async () => {
    const url = 'mongodb://somebody:secret@127.0.0.1:9/records?serverSelectionTimeoutMS=100';
    const error = await t.openDemo(url).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(String(error)).toContain('127.0.0.1:9');
    expect(String(error)).not.toContain('secret');
  });

  it.each(['retrywrite=true', 'authMechanism=secret', 'maxPoolSize=secret'])(
    'whose URL says %s is refused',
    async said => {
      const error = await t.openDemo(`${place.url}${place.url.includes('?') ? '&' : '?'}${said}`).catch(String);
      expect(error).toMatch(/StoreRefused.*option/);
      expect(error).not.toContain('secret');
    },
  );

  it('is made once when several processes open it at the same time', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => open()));
    await Promise.all(all.map(({ demo }, at) => demo.write([t.put(`r${at}`)])));
    expect(await all[0]?.demo.count(t.typeName, { kind: 'all' })).toBe(4);
    expect(await client.db().collection('partitions').countDocuments()).toBe(1);
  });

  it('gets an index again that was dropped while a server runs, but not those of other definitions', async () => {
    const { store } = await open({ mode: 'command' }); // a server would do so automatically
    const core = await openCore(place.url);
    const drop = () => client.db().collection(t.typeName).dropIndex('t');
    const make = () => makeMissingIndexes(core, () => patientClient(place.url, 5_000));
    await drop();
    await make();
    expect(await store.indexes.database()).toEqual([]);
    await drop();
    await client
      .db()
      .collection<{ _id: string }>('meta')
      .updateOne({ _id: 'definitions' }, { $set: { value: 'other' } });
    core.registry.forget();
    await make();
    expect(await store.indexes.database()).toHaveLength(1);
    await core.close();
  });

  it('has the indexes of its types, also where one was dropped before the start', async () => {
    const first = await open();
    expect(await first.store.indexes.database()).toEqual([]);
    await first.store.close();
    await client.db().collection(t.typeName).dropIndex('t');
    const { store } = await open();
    for (const end = Date.now() + 10_000; (await store.indexes.database()).length > 0 && Date.now() < end;)
      await new Promise(done => setTimeout(done, 20));
    expect(await store.indexes.database()).toEqual([]);
  });

  it('is written by the newest definitions: an older server refuses to write until it is started again', async () => {
    const old = await open();
    const model = t.modelOf([t.owner, t.code, t.name], 'newer');
    const newer = await open({ model });
    await new Promise(done => setTimeout(done, 1_100));
    await expect(old.demo.write([t.put('a')])).rejects.toThrow(/other definitions/);
    await newer.demo.write([t.put('a', [t.token('x')])]);
    expect((await old.demo.read(t.typeName, 'a'))?.version).toBe(1);
    expect((await newer.store.check()).served).toBe(true);
  });

  it('is emptied of what a removal of a partition has left', async () => {
    const { store, demo } = await open();
    await demo.write([t.put('a', [t.token('x')])]);
    await store.partitions.add('other', { zone: 'UTC' });
    const [{ key } = { key: '' }] = await client
      .db()
      .collection('partitions')
      .find({ _id: 'demo' as never })
      .toArray();
    // As if the process had ended in the middle of it, an hour ago.
    await client
      .db()
      .collection('removals')
      .insertOne({ _id: key, since: new Date(Date.now() - 3_600_000) });
    await client.db().collection('partitions').deleteOne({ key });
    await store.close();
    await open();
    for (
      const end = Date.now() + 10_000;
      (await client.db().collection('removals').countDocuments()) > 0 && Date.now() < end;
    )
      // prettier-ignore
      await new Promise(done => setTimeout(done, 20));
    expect(await client.db().collection(t.typeName).countDocuments()).toBe(0);
  });
});
