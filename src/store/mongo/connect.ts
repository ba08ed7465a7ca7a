import { MongoClient, MongoParseError, type MongoClientOptions } from 'mongodb';
import { StoreRefused } from '../store.ts';
import { parseStoreUrl } from '../url.ts';
import type { Deployment } from './core.ts';
import { openingError } from './failures.ts';

/** The wire version of MongoDB 7.0, the first with compound wildcard indexes. */
const leastWireVersion = 21;

/** How long a request may wait, in milliseconds, for what the driver does; the URL may say otherwise. */
const waits = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  heartbeatFrequencyMS: 5_000,
} as const;

const noUrl = 'The URL of the store is not one of MongoDB: `mongodb://HOST:PORT/DATABASE`, or `mongodb+srv://…`';

/** Past the deadline of a statement, the server should have answered: so much longer, in milliseconds, a socket waits. */
const grace = 5_000;

/**
 * Connects to the deployment that a URL names, and asks what it is. `deadline` in milliseconds is the longest that a statement
 * may run. Throws `StoreRefused` with what to do, and never with what the URL holds besides the host.
 */
export async function connect(
  url: string,
  deadline: number,
): Promise<{ readonly client: MongoClient; readonly name: string; readonly deployment: Deployment }> {
  const parsed = parseStoreUrl(url);
  if (parsed?.kind !== 'mongodb') throw new StoreRefused(noUrl);
  const name = parsed.database;
  const client = clientOf(url, deadline);
  try {
    await client.connect();
    const hello = await client.db(name).command({ hello: 1 });
    if (Number(hello['maxWireVersion']) < leastWireVersion)
      throw new StoreRefused('The server of the store is older than MongoDB 7.0; use a newer one');
    const sharded = hello['msg'] === 'isdbgrid';
    return { client, name, deployment: { sharded, transactions: sharded || hello['setName'] !== undefined } };
  } catch (error) {
    await client.close();
    throw openingError(error);
  }
}

function clientOf(url: string, deadline: number): MongoClient {
  // What the URL says would not count beside what is given here.
  const said = new Set([...new URLSearchParams(url.split('?')[1]).keys()].map(key => key.toLowerCase()));
  const defaults: MongoClientOptions = {
    appName: 'clinical-records',
    maxPoolSize: 50,
    maxConnecting: 4,
    socketTimeoutMS: deadline + grace,
    ...waits,
  };
  const wanted = Object.entries(defaults).filter(([key]) => !said.has(key.toLowerCase()));
  try {
    return new MongoClient(url, {
      ...Object.fromEntries(wanted),
      retryWrites: true,
      retryReads: true,
      writeConcern: { w: 'majority', journal: true },
    });
  } catch (error) {
    if (!(error instanceof MongoParseError) && !(error instanceof TypeError)) throw openingError(error);
    throw new StoreRefused(noUrl);
  }
}
