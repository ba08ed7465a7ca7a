import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { createdContract } from './contract-created.ts';
import { typeName } from './support/fixture.ts';

describe('MongoDB', () => {
  createdContract(newMongoPlace, async url => {
    const client = new MongoClient(url);
    const database = client.db();
    await database.collection(typeName).updateMany({}, { $unset: { 'o._created': 1 }, $set: { made: 'earlier' } });
    await database.collection<{ _id: string }>('parameters').deleteMany({ _id: /\/_created$/ });
    await database
      .collection<{ _id: string }>('meta')
      .updateOne({ _id: 'definitions' }, { $set: { value: '2:undated' } });
    await client.close();
  });
});
