import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { meta, servers } from '../../../src/store/mongo/collections.ts';
import { fillDigests } from '../../../src/store/mongo/digest-fill.ts';
import type { HistoryDocument, ResourceDocument } from '../../../src/store/mongo/layout.ts';
import { layout } from '../../../src/store/mongo/prepare-database.ts';
import { recordDigest } from '../../../src/store/record/record-digest.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import { bytesOf } from '../support/bytes-of.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';
import { openCore } from './support/core.ts';

describe('digests of versions', () => {
  let place: t.Place;
  let client: MongoClient;
  const opened: Store[] = [];
  beforeEach(async () => {
    place = await newMongoPlace();
    client = await new MongoClient(place.url).connect();
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await client.close();
    await place.remove();
  });

  const open = async (options: Partial<StoreOptions> = {}) => {
    const one = await t.openDemo(place.url, options);
    opened.push(one.store);
    return one;
  };
  const current = () => client.db().collection<ResourceDocument>(t.typeName);
  const older = () => client.db().collection<HistoryDocument>(`${t.typeName}.history`);
  /** In the order of ids and versions, of the partition `demo`. */
  const digests = async (): Promise<readonly (string | undefined)[]> => {
    const all = [...(await current().find().toArray()), ...(await older().find().toArray())];
    const key = ({ _id, version }: { _id: string; version: number }): string => `${_id.split('/')[1]} ${version}`;
    return all.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).map(({ digest }) => digest);
  };
  const expected = async (partition: Partition): Promise<readonly string[]> =>
    (await list(partition.export())).map(version => recordDigest('1', version));
  const undigested = async (): Promise<number> => (await digests()).filter(one => one === undefined).length;

  const fill = async (partition: Partition): Promise<void> => {
    const kept = await partition.putAttachment(bytesOf('a'));
    const attachments = [{ path: 'Basic.content', contentType: 'image/gif', ...kept }];
    await partition.write([t.put('a'), t.put('b'), t.put('c', [], { attachments })], t.each);
    await partition.write([t.put('a', [t.token('x')]), t.remove('b'), t.put('c', [t.token('x')])], t.each);
    await partition.write([t.put('b', [t.token('again')])]);
    await partition.write([t.put('c', [], { attachments: [] })]);
    await partition.write([t.remove('c')]);
  };
  /** What an engine of layout 1 would have left. */
  const asLayout1 = async (): Promise<void> => {
    for (const versions of [current(), older()]) await versions.updateMany({}, { $unset: { digest: 1 } });
    await meta(client.db()).deleteOne({ _id: 'digests' });
    await meta(client.db()).updateOne({ _id: 'layout' }, { $set: { value: 1 } });
  };

  it('come with every write, and with what is restored, so that in a new database none is looked for', async () => {
    const { demo, store } = await open();
    expect(await meta(client.db()).findOne({ _id: 'digests' })).toMatchObject({ value: 'done' });
    await fill(demo);
    expect(await digests()).toHaveLength(9);
    expect(await digests()).toEqual(await expected(demo));
    const all = await list(demo.export());
    for (const versions of [current(), older()]) await versions.deleteMany();
    await demo.import(all.filter(({ version }) => version < 3));
    await demo.import(all);
    expect(await digests()).toHaveLength(9);
    expect(await digests()).toEqual(await expected(demo));
    await store.close();
  });

  it('are filled in by a server where an older engine wrote none, but not to what is no sound record', async () => {
    const first = await open();
    await fill(first.demo);
    await first.demo.write([...Array.from({ length: 240 }, (_, at) => t.put(`more-${at}`)), t.put('broken')], t.each);
    await first.store.close();
    await asLayout1();
    await current().updateOne({ _id: '1/broken' }, { $set: { text: '{' } });
    const reading = await open({ mode: 'read' });
    expect(await undigested()).toBe(250);
    const wanted = await expected(reading.demo);
    await open();
    await expect.poll(undigested).toBe(1);
    const found = await digests();
    expect(found.filter(one => one !== undefined)).toEqual(wanted.filter((_, at) => found[at] !== undefined));
    expect(await meta(client.db()).findOne({ _id: 'layout' })).toMatchObject({ value: layout });
    await expect.poll(() => meta(client.db()).findOne({ _id: 'digests' })).toMatchObject({ value: 'done' });
  });

  it('are filled in on where another server was', async () => {
    const first = await open();
    await first.demo.write(
      ['a', 'b', 'c'].map(id => t.put(id)),
      t.each,
    );
    await first.store.close();
    await asLayout1();
    await meta(client.db()).insertOne({ _id: 'digests', value: `${t.typeName} 1/b` });
    await open();
    await expect.poll(() => meta(client.db()).findOne({ _id: 'digests' })).toMatchObject({ value: 'done' });
    expect((await digests()).map(one => one === undefined)).toEqual([true, true, false]);
  });

  it('wait while an engine works on the store that writes none', async () => {
    const first = await open();
    await first.demo.write([t.put('a')]);
    await first.store.close();
    await asLayout1();
    const old = { mode: 'serve', definitions: 'x', host: 'elsewhere', pid: 1 } as const;
    await servers(client.db()).insertOne({ _id: 'old', ...old, seen: new Date(Date.now() + 60_000) });
    const core = await openCore(place.url);
    await fillDigests(core);
    expect(await undigested()).toBe(1);
    await servers(client.db()).deleteOne({ _id: 'old' });
    await fillDigests(core);
    expect(await undigested()).toBe(0);
    await core.close();
  });
});
