import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layoutChanges } from '../../../src/store/mongo/layout-state.ts';
import { layout } from '../../../src/store/mongo/prepare-database.ts';
import { readLayout } from '../../../src/store/upgrade.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import type { Place } from '../../support/store-place.ts';
import { openDemo } from '../support/fixture.ts';
import { placeMongo2 } from '../support/layouts.ts';

let place: Place;
beforeEach(async () => {
  place = await newMongoPlace();
});
afterEach(() => place.remove());

describe('the layout of a database', () => {
  it('is read with the changes to come, without changing anything', async () => {
    await placeMongo2(place.url);
    const [first, second] = [await readLayout(place.url), await readLayout(place.url)];
    expect(first).toEqual({
      found: 2,
      newest: layout,
      changes: layoutChanges.filter(change => change.layout > 2),
      isInterrupted: false,
      records: 14,
      versions: 3,
    });
    expect(second).toEqual(first);
  });

  it('has no changes in a current one, and is refused for a newer one and where there is none', async () => {
    await expect(readLayout(place.url)).rejects.toThrow('There is no store');
    await (await openDemo(place.url)).store.close();
    expect(await readLayout(place.url)).toMatchObject({ found: layout, changes: [], records: 0 });
    const client = await new MongoClient(place.url).connect();
    const meta = client.db().collection<{ _id: string }>('meta');
    await meta.updateOne({ _id: 'layout' }, { $set: { value: layout + 1 } });
    await client.close();
    await expect(readLayout(place.url)).rejects.toThrow('newer version');
  });
});
