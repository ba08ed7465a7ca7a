import { createHmac } from 'node:crypto';
import type { Collection, Document } from 'mongodb';
import type { Rate } from '../../limits/token-buckets.ts';
import type { SharedBuckets } from '../port/shared-buckets.ts';
import { limits } from './collections.ts';
import type { Core } from './core.ts';
import { isTaken, withPortErrors } from './failures.ts';
import type { LimitDocument } from './layout.ts';

/** Token buckets in `limits`, each a document; one command fills it up and takes from it, by the database's clock. */
export function sharedBuckets(core: Core): SharedBuckets {
  // What a crash of the database forgets is a bucket that is full again.
  const collection = limits(core.database, { writeConcern: { w: 1, journal: false } });
  // Addresses and clients are not in the collection, as they are not in the buckets of owners.
  const idOf = (key: string): string =>
    createHmac('sha256', core.bucketKey).update(`limit ${key}`).digest('base64url').slice(0, 22);
  return {
    lend(key, rate, least, most) {
      const left = {
        $cond: [{ $gte: ['$tokens', least] }, { $max: [0, { $subtract: ['$tokens', most] }] }, '$tokens'],
      };
      const update = [...fill(rate), { $set: { lent: { $subtract: ['$tokens', left] }, tokens: left } }];
      return withPortErrors(core, async () => {
        const { tokens, lent } = await take(collection, idOf(key), update);
        return { tokens: lent, left: tokens };
      });
    },
    give(key, rate, tokens) {
      const given = { $min: [rate.capacity, { $add: ['$tokens', tokens] }] };
      return withPortErrors(core, async () => {
        // One that is forgotten is full.
        await collection.updateOne({ _id: idOf(key) }, [...fill(rate), { $set: { tokens: given } }]);
      });
    },
  };
}

/** Adds the tokens since the last use. The clock of another primary may be late. */
function fill({ capacity, perSecond }: Rate): readonly Document[] {
  const since = { $max: [0, { $subtract: ['$$NOW', { $ifNull: ['$at', '$$NOW'] }] }] };
  const filled = { $add: [{ $ifNull: ['$tokens', capacity] }, { $multiply: [since, perSecond / 1_000] }] };
  const full = Math.ceil((capacity / perSecond) * 1_000);
  return [
    { $set: { tokens: { $min: [capacity, filled] }, at: { $max: ['$at', '$$NOW'] } } },
    { $set: { expires: { $add: ['$at', full] } } },
  ];
}

async function take(collection: Collection<LimitDocument>, _id: string, update: Document[]): Promise<LimitDocument> {
  for (;;) {
    try {
      const found = await collection.findOneAndUpdate({ _id }, update, { upsert: true, returnDocument: 'after' });
      if (found === null) throw new Error('MongoDB returned no document of an upsert');
      return found;
    } catch (error) {
      if (!isTaken(error)) throw error; // another server has inserted it meanwhile
    }
  }
}
