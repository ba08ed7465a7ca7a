import { MongoClient } from 'mongodb';
import { describe } from 'vitest';
import type { AuditDocument } from '../../src/store/mongo/layout.ts';
import { mongoWhere } from '../store/mongo/support/where.ts';
import { auditContract } from './contract.ts';

const where = await mongoWhere();

describe('MongoDB', () => {
  auditContract(where, {
    async change(url, chain, edit) {
      const client = new MongoClient(url);
      const collection = client.db().collection<AuditDocument>('audit');
      if (chain === '') edit((await collection.distinct('chain')).sort());
      else {
        const before = await collection.find({ chain }).sort({ _id: 1 }).toArray();
        await collection.deleteMany({ chain });
        const lines = edit(before.map(({ line }) => line));
        // eslint-disable-next-line typescript/no-non-null-assertion -- never more than before
        const after = lines.map((line, n) => ({ ...before[n]!, line }));
        if (after.length > 0) await collection.insertMany(after);
      }
      await client.close();
    },
  });
});
