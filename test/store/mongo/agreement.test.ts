import { describe } from 'vitest';
import { openMongoStore } from '../../../src/store/mongo/store.ts';
import { agreement, type OpenStore } from '../../search/agreement.ts';
import { cluster, describeOnCluster } from '../../support/mongodb/cluster.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';

const opening =
  (server?: string): OpenStore =>
  async (model, extract, now) => {
    const place = await newMongoPlace(server);
    const options = { model, extract, now, mode: 'serve', deadline: 20_000 } as const;
    return { store: await openMongoStore(place.url, options), remove: () => place.remove() };
  };

describe('MongoDB agrees with the meaning of search', () => {
  agreement(opening(), { resources: 60, searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 120) });

  describeOnCluster('also', () => {
    agreement(opening(cluster), { resources: 60, searches: Number(process.env['CRS_TEST_SEARCHES'] ?? 60) });
  });
});
