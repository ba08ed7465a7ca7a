import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { meta, parameters } from '../../src/store/mongo/collections.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { upgradeContract } from './contract-upgrade.ts';
import { placeMongo2 } from './support/layouts.ts';

describe('a store in MongoDB of layout 2', () => {
  upgradeContract(
    async () => {
      const place = await newMongoPlace();
      await placeMongo2(place.url);
      return place;
    },
    async url => {
      const client = new MongoClient(url);
      const database = client.db();
      await parameters(database).updateMany(
        { _id: /^1\/Condition\// },
        { $set: { state: 'pending', after: '', done: 0, anew: true } },
      );
      await meta(database).insertOne({ _id: 'upgrade', value: 2 });
      await client.close();
    },
    { each: 4 },
  );
});
