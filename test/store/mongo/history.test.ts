import { MongoClient } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { historyId } from '../../../src/store/mongo/current.ts';
import type { HistoryDocument, ResourceDocument } from '../../../src/store/mongo/layout.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import * as t from '../support/fixture.ts';
import { list } from '../support/list.ts';

it('omits what a write left in the history that was killed or lost a race', async () => {
  const place = await newMongoPlace();
  onTestFinished(() => place.remove());
  const { store, demo } = await t.openDemo(place.url);
  const client = new MongoClient(place.url);
  onTestFinished(() => Promise.all([client.close(), store.close()]).then(() => undefined));
  for (const code of ['x', 'y']) await demo.write([t.put('a', [t.token(code)])]);
  await demo.write([t.put('b')]);
  const older = client.db().collection<HistoryDocument>('Basic.history');
  const current = await client.db().collection<ResourceDocument>('Basic').findOne({ version: 2 });
  if (current === null) throw new Error('The record is not there');
  const [p = ''] = current._id.split('/');
  const { b, updated, text = '' } = current;
  // A copy of the current version, and one of a version that another process made in its place.
  for (const [version, time] of [
    [2, updated],
    [3, updated + 10_000],
  ] as const)
    await older.insertOne({ _id: historyId(p, 'a', version), p, b, version, updated: time, text });
  for (const ids of [undefined, ['a', 'b'], ['a']])
    for (const slice of [1, 2, 10]) {
      const of = [{ type: t.typeName, ids }];
      const found = await list(demo.export({ order: 'newest', of, slice }));
      const versions = found.map(({ id, version }) => `${id}${version}`);
      expect(versions.filter(one => one !== 'b1')).toEqual(['a2', 'a1']);
    }
});
