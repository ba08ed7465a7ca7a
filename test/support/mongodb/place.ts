import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import type { Place } from '../store-place.ts';

export type { Place } from '../store-place.ts';

/** The server that `CRS_TEST_MONGODB` names. Throws where it names none. */
export function mongoServer(): string {
  const url = process.env['CRS_TEST_MONGODB'];
  if (url === undefined || url === '')
    throw new Error('`CRS_TEST_MONGODB` names no server; `npm run test:mongo` starts one.');
  return url;
}

/** A database of its own, on the server that `CRS_TEST_MONGODB` names unless another is given; `remove` drops it. */
export async function newMongoPlace(server: string = mongoServer()): Promise<Place> {
  const url = withDatabase(server, `crs-test-${randomUUID()}`);
  return {
    url,
    async remove() {
      const client = new MongoClient(url);
      await client.db().dropDatabase();
      await client.close();
    },
  };
}

/** The URL with this database in place of the one that it names; the authentication database stays. */
export function withDatabase(server: string, name: string): string {
  const { start, database, query } =
    /^(?<start>mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/(?<database>[^?]*))?(?:\?(?<query>.*))?$/.exec(server)?.groups ?? {};
  if (start === undefined) throw new Error('`CRS_TEST_MONGODB` is no URL that begins with `mongodb://`.');
  const options = new URLSearchParams(query);
  if (start.includes('@') && !options.has('authSource')) options.set('authSource', database || 'admin');
  return `${start}/${name}${options.size > 0 ? `?${options.toString()}` : ''}`;
}
