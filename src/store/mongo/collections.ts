import type { Collection, Db, OptionalUnlessRequiredId } from 'mongodb';
import type { PartitionInfo } from './core.ts';
import { isTaken } from './failures.ts';
import type {
  MarkDocument,
  MetaDocument,
  ParameterDocument,
  PartitionDocument,
  PlaceDocument,
  RemovalDocument,
  ReservationDocument,
  ServerDocument,
  SmallDocument,
  UsedTypeDocument,
} from './layout.ts';

// The collections besides those of resource types, whose names begin with a capital letter.
export const meta = (database: Db): Collection<MetaDocument> => database.collection('meta');
export const partitions = (database: Db): Collection<PartitionDocument> => database.collection('partitions');
export const removals = (database: Db): Collection<RemovalDocument> => database.collection('removals');
export const parameters = (database: Db): Collection<ParameterDocument> => database.collection('parameters');
export const servers = (database: Db): Collection<ServerDocument> => database.collection('servers');
export const reservations = (database: Db): Collection<ReservationDocument> => database.collection('reservations');
export const usedTypes = (database: Db): Collection<UsedTypeDocument> => database.collection('usedTypes');
export const marks = (database: Db): Collection<MarkDocument> => database.collection('marks');
export const documents = (database: Db): Collection<SmallDocument> => database.collection('documents');
export const places = (database: Db): Collection<PlaceDocument> => database.collection('ids');

/** A value of `meta`. */
export async function readMeta(database: Db, name: string): Promise<string | number | undefined> {
  return (await meta(database).findOne({ _id: name }))?.value;
}

/** The partitions in the order of ids. */
export async function partitionsOf(database: Db): Promise<readonly PartitionInfo[]> {
  return (await partitions(database).find().sort({ _id: 1 }).toArray()).map(infoOf);
}

/** A partition by id. */
export async function readPartition(database: Db, id: string): Promise<PartitionInfo | undefined> {
  const found = await partitions(database).findOne({ _id: id });
  return found === null ? undefined : infoOf(found);
}

const infoOf = ({ _id, key, zone, changes = 0 }: PartitionDocument): PartitionInfo => ({
  id: _id,
  p: key,
  settings: { zone },
  changes,
});

export async function collectionNames(database: Db): Promise<readonly string[]> {
  return (await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
}

/** Names of the types with a collection, whether the definitions declare them or not. */
export async function typesKept(database: Db): Promise<readonly string[]> {
  return (await collectionNames(database)).filter(name => /^[A-Z][A-Za-z]*$/.test(name)).toSorted();
}

/** Inserts a document; false if another one has its `_id`. */
export async function insertNew<T extends { readonly _id: string }>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}
