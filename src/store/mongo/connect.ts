import { MongoClient, MongoParseError, type MongoClientOptions } from 'mongodb';
import { StoreRefused } from '../port/errors.ts';
import { parseStoreUrl } from '../url.ts';
import type { Deployment } from './core.ts';
import { openingError } from './failures.ts';
import { reconnectWhereStuck } from './reconnect.ts';

/** The wire version of MongoDB 7.0, the first with compound wildcard indexes. */
const leastWireVersion = 21;

/** https://www.mongodb.com/docs/manual/reference/local-database/ */
const ofTheServer: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

const noUrl = 'The URL of the store is not a MongoDB URL: `mongodb://HOST:PORT/DATABASE`, or `mongodb+srv://…`';

/** Not the driver's message, which may contain the value. */
const noOption =
  'The MongoDB driver rejects the URL of the store: it has an unknown option, or an invalid value; ' +
  'see https://www.mongodb.com/docs/manual/reference/connection-string-options/';

const noReplicaSet =
  'The MongoDB server of the store is not a replica set, without which it has no transactions; one member is enough. ' +
  "Start it with `mongod --replSet rs0`, then run `mongosh --eval 'rs.initiate()'`";

/** A connected client. */
export interface Connected {
  readonly client: MongoClient;
  /** The name of the database. */
  readonly name: string;
  readonly deployment: Deployment;
  readonly close: () => Promise<void>;
}

/**
 * Connects to the deployment at a URL, and reads its properties. `longest` is the timeout of an answer, in
 * milliseconds. Throws `StoreRefused` with the remedy, and never with parts of the URL besides the host.
 */
export async function connect(url: string, longest: number): Promise<Connected> {
  const parsed = parseStoreUrl(url);
  if (parsed?.kind !== 'mongodb') throw new StoreRefused(noUrl);
  const name = parsed.database;
  if (ofTheServer.has(name))
    throw new StoreRefused(
      `The database \`${name}\` belongs to the server itself; name another one, and the database of ` +
        `the users as \`authSource=${name}\``,
    );
  const client = clientOf(url, longest);
  const endWatch = reconnectWhereStuck(client, longest);
  const close = (): Promise<void> => {
    endWatch();
    return client.close();
  };
  try {
    await client.connect();
    const hello = await client.db(name).command({ hello: 1 });
    if (Number(hello['maxWireVersion']) < leastWireVersion)
      throw new StoreRefused('The MongoDB server of the store is older than 7.0; use a newer one');
    const sharded = hello['msg'] === 'isdbgrid';
    if (!sharded && hello['setName'] === undefined) throw new StoreRefused(noReplicaSet);
    return { client, name, deployment: { sharded }, close };
  } catch (error) {
    await close();
    throw openingError(error);
  }
}

/**
 * A client without timeouts for long operations: a server may abort an index build whose client has disconnected. Close
 * it afterwards.
 */
export function patientClient(url: string, longest: number): MongoClient {
  return clientOf(url, longest, { socketTimeoutMS: 0, maxPoolSize: 2 });
}

function clientOf(url: string, longest: number, more: MongoClientOptions = {}): MongoClient {
  // Options of the URL would be overridden by those given here.
  const said = new Set([...new URLSearchParams(url.split('?')[1]).keys()].map(key => key.toLowerCase()));
  const defaults: MongoClientOptions = {
    appName: 'clinical-records',
    maxPoolSize: 50,
    maxConnecting: 4,
    socketTimeoutMS: longest,
    // Server selection takes at most half of the time, so that the driver's retries are in time too.
    serverSelectionTimeoutMS: longest / 2,
    connectTimeoutMS: longest / 2,
    waitQueueTimeoutMS: longest / 2,
    heartbeatFrequencyMS: 5_000,
    ...more,
  };
  const wanted = Object.entries(defaults).filter(([key]) => !said.has(key.toLowerCase()));
  try {
    return new MongoClient(url, {
      ...Object.fromEntries(wanted),
      retryWrites: true,
      retryReads: true,
      // A write is done when it is on the disks of a majority.
      // https://www.mongodb.com/docs/manual/reference/write-concern/
      writeConcern: { w: 'majority', journal: true },
    });
  } catch (error) {
    if (!(error instanceof MongoParseError) && !(error instanceof TypeError)) throw openingError(error);
    throw new StoreRefused(noOption);
  }
}
