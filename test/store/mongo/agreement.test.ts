import { describe } from 'vitest';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { agreement, type OpenStore } from '../../search/agreement.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';

const opening =
  (sharded: boolean): OpenStore =>
  async (model, extract, now) => {
    const place = await newMongoPlace();
    const options = { model, extract, now, mode: 'serve', deadline: 20_000 } as const;
    return { store: await openMongoStore(place.url, options, { sharded }), remove: () => place.remove() };
  };

describe('MongoDB agrees with the meaning of search', () => {
  agreement(opening(false), { resources: 60, searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 120) });

  // The filters name the partition and, where they can, the bucket; what mongos does with them is not tested here.
  describe('with the filters of a sharded cluster', () => {
    agreement(opening(true), { resources: 60, searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 60) });
  });
});
