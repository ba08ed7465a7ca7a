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
      // A killed upgrade may have built all and not ended.
      await meta(database).updateOne({ _id: 'upgrade' }, { $set: { value: 2 } }, { upsert: true });
      await client.close();
    },
    { each: 4 },
  );
});
