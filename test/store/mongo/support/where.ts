import { afterAll } from 'vitest';
import { meta } from '../../../../src/store/mongo/collections.ts';
import { connect } from '../../../../src/store/mongo/connect.ts';
import { mongoServer, newMongoPlace } from '../../../support/mongodb/place.ts';
import type { Place } from '../../../support/mongodb/place.ts';
import type { Where } from '../../support/where.ts';

/**
 * Databases on a server, by default the one that `CRS_TEST_MONGODB` names, what stores lack there, and how they are
 * opened. One that is removed is emptied and given again: to make its collections and indexes takes longer than most
 * tests. The end of the file drops all.
 */
export async function mongoWhere(server = mongoServer(), open?: Where['open']): Promise<Where> {
  const { client, close } = await connect(server, 5_000);
  const free: Place[] = [];

  const empty = async ({ url }: Place): Promise<void> => {
    const database = client.db(new URL(url).pathname.slice(1));
    const collections = await database.listCollections({ type: 'collection' }, { nameOnly: true }).toArray();
    for (const { name } of collections)
      if (name === 'meta') await meta(database).deleteMany({ _id: { $ne: 'layout' } });
      else if (!name.startsWith('system.')) await database.collection(name).deleteMany();
  };
  const newPlace = async (): Promise<Place> => {
    const place = free.pop() ?? (await newMongoPlace(server));
    const remove = async (): Promise<void> => {
      await empty(place);
      free.push(place);
    };
    return { url: place.url, remove };
  };
  afterAll(async () => {
    await close();
    for (const place of free) await place.remove();
  });
  return { newPlace, lacks: ['commit-order'], ...(open === undefined ? {} : { open }) };
}
