import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HistoryDocument, ResourceDocument } from '../../../src/store/mongo/layout.ts';
import { recordDigest } from '../../../src/store/record/digest.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../../src/store/port/store.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import { bytesOf } from '../support/bytes-of.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';

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

  const fill = async (partition: Partition): Promise<void> => {
    const kept = await partition.putAttachment(bytesOf('a'));
    const attachments = [{ path: 'Basic.content', contentType: 'image/gif', ...kept }];
    await partition.write([t.put('a'), t.put('b'), t.put('c', [], { attachments })], t.each);
    await partition.write([t.put('a', [t.token('x')]), t.remove('b'), t.put('c', [t.token('x')])], t.each);
    await partition.write([t.put('b', [t.token('again')])]);
    await partition.write([t.put('c', [], { attachments: [] })]);
    await partition.write([t.remove('c')]);
  };
  it('come with every write, and with what is restored', async () => {
    const { demo, store } = await open();
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
});
