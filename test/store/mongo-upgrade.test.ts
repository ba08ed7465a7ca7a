import { describe } from 'vitest';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { upgradeContract } from './contract-upgrade.ts';
import { placeOldestMongo } from './support/layouts.ts';

describe('a store in MongoDB of the oldest layout', () => {
  upgradeContract(async () => {
    const place = await newMongoPlace();
    await placeOldestMongo(place.url);
    return place;
  });
});
