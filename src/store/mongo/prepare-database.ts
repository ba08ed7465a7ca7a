import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import type { StoreOptions } from '../port/store.ts';
import { StoreRefused } from '../port/errors.ts';
import { connect } from './connect.ts';
import { openingError } from './failures.ts';
import { collectionNames, documents, insertNew, meta, readMeta, reservations } from './collections.ts';

/**
 * The layout that this engine reads and writes. 2: versions have a digest; those of layout 1 get theirs in the
 * background. 3: index entries do not depend on the public URL, and owners are stored; a server rebuilds the entries
 * and adds the owners before it answers (upgrade.ts). 4: the types that a partition uses are listed
 * (used-types.ts); a server lists those of an older layout in the background.
 */
export const layout = 4;

/**
 * `_id` in `meta` of what says how far versions of layout 1 have got a digest, and whether the types of all partitions
 * are listed; and the value when nothing is left.
 */
export const digestsMeta = 'digests';
export const usedTypesMeta = 'usedTypes';
export const done = 'done';

/**
 * Initialises a database, unless the mode is `read`; returns the key of its buckets. Throws `StoreRefused` for a newer
 * layout, a database with other content, and if `read` finds no store.
 */
export async function prepareDatabase(database: Db, mode: StoreOptions['mode']): Promise<string> {
  const name = database.databaseName;
  if (await isNew(database)) {
    if (mode === 'read') throw new StoreRefused(`There is no store in the database \`${name}\``);
    // First of all: by it another process that opens the database meanwhile knows it as ours.
    await putMeta(database, 'layout', layout);
    // Older engines, which leave something to do, cannot write to it.
    for (const chore of [digestsMeta, usedTypesMeta]) await putMeta(database, chore, done);
  }
  const found = Number(await readMeta(database, 'layout'));
  if (found > layout)
    throw new StoreRefused(
      `The database \`${name}\` was written by a newer version (layout ${found}; this one knows ` +
        `${layout}); use that version`,
    );
  if (mode !== 'read') {
    if (found < 3) await putMeta(database, 'upgrade', found);
    await meta(database).updateOne({ _id: 'layout', value: { $lt: layout } }, { $set: { value: layout } });
    await putMeta(database, 'bucketKey', randomBytes(32).toString('hex'));
    for (const collection of [documents(database), reservations(database)])
      await collection.createIndex({ expires: 1 }, { name: 'expires' });
  }
  return String((await readMeta(database, 'bucketKey')) ?? '');
}

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
    await prepareDatabase(database, 'read');
    return await read(database);
  } catch (error) {
    throw openingError(error);
  } finally {
    await close();
  }
}
