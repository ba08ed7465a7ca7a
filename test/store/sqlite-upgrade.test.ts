import { describe } from 'vitest';
import { upgradeContract } from './contract-upgrade.ts';
import { newPlace } from './support/fixture.ts';
import { placeOldestSqlite } from './support/layouts.ts';

describe('a store in SQLite of the oldest layout', () => {
  upgradeContract(async () => {
    const place = await newPlace();
    await placeOldestSqlite(place.path);
    return place;
  });
});
