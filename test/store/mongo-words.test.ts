import { type Document, MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { narrative, wordsContract, written } from './contract-words.ts';
import * as t from './support/fixture.ts';
import { list } from './support/list.ts';
import { indexSteps } from './support/verified.ts';

describe('MongoDB', () => {
  wordsContract(newMongoPlace);

  it.each<[string, Document | Document[], RegExp]>([
    ['a word that is gone', { $pull: { t: /chest/ } }, /Basic\/a: `narrative` lacks an entry/],
    ['words in another sequence', [{ $set: { w: ['x'] } }], /Basic\/a: `narrative` lacks an entry/],
    ['words that are gone', { $unset: { w: 1 } }, /Basic\/a: `narrative` lacks an entry/],
    [
      'words that the record does not have',
      [{ $set: { w: { $concatArrays: ['$w', [{ $concat: ['$p', '|narrative| more '] }]] } } }],
      /Basic\/a: `narrative` has an entry too many/,
    ],
  ])('finds %s, and a rebuild mends it', async (_, update, found) => {
    const place = await newMongoPlace();
    const client = new MongoClient(place.url);
    const { store, demo } = await t.openDemo(place.url, { model: t.modelOf([narrative], 'words'), mode: 'command' });
    onTestFinished(async () => {
      await store.close();
      await client.close();
      await place.remove();
    });
    await demo.write([t.put('a', [written('chest pain')])]);
    const differences = async () =>
      (await indexSteps(store, 'demo')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));
    expect(await differences()).toEqual([]);
    expect((await client.db().collection(t.typeName).updateOne({}, update)).modifiedCount).toBe(1);
    expect((await differences()).join('\n')).toMatch(found);
    await list(store.indexes.rebuild('demo'));
    expect(await differences()).toEqual([]);
  });
});
