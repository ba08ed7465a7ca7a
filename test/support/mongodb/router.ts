import type { Db, MongoClient } from 'mongodb';
import type { Touched } from './bridge/router.ts';

export type { Touched } from './bridge/router.ts';

/** Lets the bridge that a client is connected to open the port at which it looks like a sharded cluster; its URL. */
export async function simulatedRouter(client: MongoClient): Promise<string> {
  const { port } = await client.db('admin').command({ bridgeRouter: 1 });
  return `mongodb://127.0.0.1:${port}/`;
}

/** Where the commands to a database went since this was called before. */
export async function touchedIn(database: Db): Promise<readonly Touched[]> {
  const { touched } = await database.command({ bridgeTouched: 1 });
  return touched as readonly Touched[];
}
