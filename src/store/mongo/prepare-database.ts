import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { type LayoutChange, type LayoutState, requireKnownLayout } from '../layout.ts';
import { StoreRefused } from '../port/errors.ts';
import type { StoreOptions } from '../port/store.ts';
import { collectionNames, documents, insertNew, meta, readMeta, reservations, typesKept } from './collections.ts';
import { connect } from './connect.ts';
import { openingError } from './failures.ts';

/** The first layout that a start upgrades. */
const oldest = 4;

/**
 * What each later layout changes. A new one needs a store of the layout before it in test/fixtures/layouts, and what
 * `prepareDatabase` does with it.
 */
export const layoutChanges: readonly LayoutChange[] = [];

/** The layout that this engine reads and writes. */
export const layout = oldest + layoutChanges.length;

/**
 * Initialises a database, unless the mode is `read`; returns the key of its buckets. Throws `StoreRefused` for a layout
 * that this engine does not know, a database with other content, and if `read` finds no store.
 */
export async function prepareDatabase(
  database: Db,
  { mode, now }: Pick<StoreOptions, 'mode' | 'now'>,
): Promise<string> {
  const name = database.databaseName;
  if (await isNew(database)) {
    if (mode === 'read') throw new StoreRefused(`There is no store in the database \`${name}\``);
    // First of all: by it another process that opens the database meanwhile knows it as ours.
    await putMeta(database, 'layout', layout);
  }
  const found = Number(await readMeta(database, 'layout'));
  requireKnownLayout(`The database \`${name}\``, found, { oldest, newest: layout });
  if (mode !== 'read') {
    await requireFinished(database, now());
    await meta(database).updateOne({ _id: 'layout', value: { $lt: layout } }, { $set: { value: layout } });
    await putMeta(database, 'bucketKey', randomBytes(32).toString('hex'));
    for (const collection of [documents(database), reservations(database)])
      await collection.createIndex({ expires: 1 }, { name: 'expires' });
  }
  return String((await readMeta(database, 'bucketKey')) ?? '');
}

/**
 * Before transactions were required, a crash could leave a write unfinished, with a reservation that has no results.
 * Throws `StoreRefused` if there is one that has not expired; the others are deleted.
 */
async function requireFinished(database: Db, now: number): Promise<void> {
  const unfinished = { results: { $exists: false } };
  await reservations(database).deleteMany({ ...unfinished, expires: { $lte: now } });
  const [first] = await reservations(database).find(unfinished).sort({ expires: -1 }).limit(1).toArray();
  if (first === undefined) return;
  const until = new Date(first.expires).toISOString();
  throw new StoreRefused(
    `The database \`${database.databaseName}\` has writes that a crash on a single server left unfinished. ` +
      `Start version ${lastForSingleServers} of this program on it and repeat them, or wait until ${until}`,
  );
}

const lastForSingleServers = '0.1.0';

/** Whether the database is empty. Throws `StoreRefused` for other content. */
async function isNew(database: Db): Promise<boolean> {
  if ((await readMeta(database, 'layout')) !== undefined) return false;
  if ((await collectionNames(database)).every(name => name.startsWith('system.'))) return true;
  // Another process may be creating it.
  if ((await readMeta(database, 'layout')) !== undefined) return false;
  throw new StoreRefused(`The database \`${database.databaseName}\` has other content; name another one`);
}

/** Stores a value if there is none yet. */
async function putMeta(database: Db, name: string, value: string | number): Promise<void> {
  await insertNew(meta(database), { _id: name, value });
}

/** Timeout of an answer, in milliseconds. */
const longestQuestion = 10_000;

/** Reads an existing store by a connection of its own. Throws `StoreRefused` if there is none, and like `connect`. */
export async function readStore<T>(url: string, read: (database: Db) => Promise<T>): Promise<T> {
  const { client, name, close } = await connect(url, longestQuestion);
  try {
    const database = client.db(name, { readPreference: 'primary' });
    await prepareDatabase(database, { mode: 'read', now: Date.now });
    return await read(database);
  } catch (error) {
    throw openingError(error);
  } finally {
    await close();
  }
}

/** Like `readLayout`, of the store in a database. Counts are those that the server estimates. */
export function readMongoLayout(url: string): Promise<LayoutState> {
  return readStore(url, async database => {
    const found = Number(await readMeta(database, 'layout'));
    const count = async (suffix: string): Promise<number> => {
      let sum = 0;
      for (const type of await typesKept(database))
        sum += await database.collection(`${type}${suffix}`).estimatedDocumentCount();
      return sum;
    };
    const changes = layoutChanges.filter(change => change.layout > found);
    return { found, newest: layout, changes, records: await count(''), versions: await count('.history') };
  });
}
