import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layout, layoutChanges } from '../../../src/store/mongo/prepare-database.ts';
import { readLayout } from '../../../src/store/open.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import type { Place } from '../../support/store-place.ts';
import { openDemo } from '../support/fixture.ts';
import { placeOldestMongo } from '../support/layouts.ts';

let place: Place;
beforeEach(async () => {
  place = await newMongoPlace();
});
afterEach(() => place.remove());

describe('the layout of a database', () => {
  it('is read with the changes to come, without changing anything', async () => {
    await placeOldestMongo(place.url);
    const [first, second] = [await readLayout(place.url), await readLayout(place.url)];
    expect(first).toEqual({
      found: 4,
      newest: layout,
      changes: layoutChanges,
      records: 14,
      versions: 3,
    });
    expect(second).toEqual(first);
  });

  it('has no changes in a current one, and is refused for a newer or too old one, and without a store', async () => {
    await expect(readLayout(place.url)).rejects.toThrow('There is no store');
    await (await openDemo(place.url)).store.close();
    expect(await readLayout(place.url)).toMatchObject({ found: layout, changes: [], records: 0 });
    const client = await new MongoClient(place.url).connect();
    const meta = client.db().collection<{ _id: string }>('meta');
    for (const [value, sentence] of [
      [layout + 1, `was written by a newer version (layout ${layout + 1}; this one knows ${layout})`],
      [3, 'was written by an older version (layout 3; this one upgrades layouts from 4 on); upgrade it with an'],
    ] as const) {
      await meta.updateOne({ _id: 'layout' }, { $set: { value } });
      await expect(readLayout(place.url)).rejects.toThrow(sentence);
      await expect(openDemo(place.url)).rejects.toThrow(sentence);
    }
    await client.close();
  });
});
