import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import { documents, partitions } from '../../src/store/mongo/collections.ts';
import { historyId } from '../../src/store/mongo/current.ts';
import type { HistoryDocument, ResourceDocument } from '../../src/store/mongo/layout.ts';
import { verifyContract } from './contract-verify.ts';
import { mongoWhere } from './mongo/support/where.ts';
import { typeName } from './support/fixture.ts';

const where = await mongoWhere();

describe('MongoDB', () => {
  verifyContract({
    newPlace: () => where.newPlace(),
    async tamper({ url }) {
      const client = await new MongoClient(url).connect();
      const database = client.db();
      const current = database.collection<ResourceDocument>(typeName);
      const history = database.collection<HistoryDocument>(`${typeName}.history`);
      const { key: p = '' } = (await partitions(database).findOne({ _id: 'demo' })) ?? {};
      return {
        async version(id, older, { lastUpdated: updated, digest, ...fields }) {
          const set = { ...fields, ...(updated === undefined ? {} : { updated }) };
          const update = digest === null ? { $unset: { digest: 1 as const } } : { $set: set };
          if (older === undefined) await current.updateOne({ _id: `${p}/${id}` }, update);
          else await history.updateOne({ _id: historyId(p, id, older) }, update);
        },
        contentType: async (id, type) =>
          void (await current.updateOne({ _id: `${p}/${id}` }, { $set: { 'attached.0.contentType': type } })),
        entries: async id => void (await current.updateOne({ _id: `${p}/${id}` }, { $set: { t: [] } })),
        document: async (collection, key, value) =>
          void (await documents(database).updateOne({ _id: `${collection}/${key}` }, { $set: { value } })),
        zone: async (partition, zone) =>
          void (await partitions(database).updateOne({ _id: partition }, { $set: { zone } })),
        close: () => client.close(),
      };
    },
  });
});
