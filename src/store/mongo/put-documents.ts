import { type AnyBulkWriteOperation, BSON } from 'mongodb';
import { RecordTooLarge } from '../port/errors.ts';
import { places } from './collections.ts';
import { type Core, history, resources, type Step, withSession } from './core.ts';
import { hasPlaces, type Stored } from './current.ts';
import { isOnlyTaken, isTaken, isTooLarge } from './failures.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';

/** A document that becomes the current version of a record. */
export interface NextDocument {
  /** The version that it replaces; undefined if the record has none. */
  readonly before: Stored | undefined;
  readonly document: ResourceDocument;
}

/** Another writer was first with a record or a key. */
export class LostRace extends Error {}

/**
 * Writes the next documents of a type, and the older versions that they replace: these first, and idempotently, so that
 * a crash outside of a transaction loses none. Throws `LostRace` if a record is not at the version that its document
 * replaces, `RecordTooLarge`.
 */
export async function putDocuments(
  core: Core,
  type: string,
  next: readonly NextDocument[],
  older: readonly HistoryDocument[],
  step: Step,
): Promise<void> {
  const options = withSession(step);
  const inserts = next.filter(({ before }) => before === undefined).map(({ document }) => document);
  const moves = next.filter(one => isMoved(core, one));
  const replaces = next.filter(one => one.before !== undefined && !isMoved(core, one));
  try {
    if (older.length > 0) await history(core, type).bulkWrite(older.map(keepOlder), options);
    await claimPlaces(core, type, [...inserts, ...moves.map(({ document }) => document)], step);
    if (inserts.length > 0) await resources(core, type).insertMany(inserts, options);
    // A document that changes its shard cannot be part of a larger write.
    for (const some of [replaces, ...moves.map(one => [one])]) {
      if (some.length === 0) continue;
      const { matchedCount } = await resources(core, type).bulkWrite(some.flatMap(replace), options);
      if (matchedCount < some.length) throw new LostRace();
    }
  } catch (error) {
    if (isTaken(error)) throw new LostRace();
    throw isTooLarge(error)
      ? tooLarge(
          type,
          next.map(({ document }) => document),
        )
      : error;
  }
}

/** Inserts documents of new records, each for itself. Returns those whose id is taken. Throws `RecordTooLarge`. */
export async function insertEach(
  core: Core,
  type: string,
  documents: readonly ResourceDocument[],
): Promise<readonly ResourceDocument[]> {
  if (documents.length === 0) return [];
  try {
    await resources(core, type).insertMany([...documents], { ordered: false });
    return [];
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(type, documents);
    if (!isOnlyTaken(error)) throw error;
    return error.result.getWriteErrors().flatMap(({ index }) => documents[index] ?? []);
  }
}

const isMoved = ({ deployment }: Core, { before, document }: NextDocument): boolean =>
  deployment.sharded && before !== undefined && before.b !== document.b;

const keepOlder = (replacement: HistoryDocument): AnyBulkWriteOperation<HistoryDocument> => ({
  replaceOne: { filter: { _id: replacement._id, p: replacement.p }, replacement, upsert: true },
});

const replace = ({ before, document }: NextDocument): readonly AnyBulkWriteOperation<ResourceDocument>[] => {
  if (before === undefined) return [];
  const filter = { p: document.p, b: before.b, _id: before._id, version: before.version };
  return [{ replaceOne: { filter, replacement: document } }];
};

/** The largest document is the one that the server rejects. */
function tooLarge(type: string, documents: readonly ResourceDocument[]): RecordTooLarge {
  const sizes = documents.map(document => ({ document, size: BSON.calculateObjectSize(document) }));
  const largest = sizes.toSorted((a, b) => b.size - a.size)[0]?.document;
  return new RecordTooLarge(type, largest === undefined ? '' : largest._id.slice(largest.p.length + 1));
}

/**
 * Registers the shards of resources of a type before they are written: only if the store is spread over several
 * servers.
 */
export async function claimPlaces(
  core: Core,
  type: string,
  documents: readonly Pick<ResourceDocument, '_id' | 'p' | 'b'>[],
  step: Step,
): Promise<void> {
  if (!hasPlaces(core, type) || documents.length === 0) return;
  const claims = documents.map(({ _id, p, b }) => {
    const filter = { _id: `${p}/${type}/${_id.slice(p.length + 1)}` };
    return { updateOne: { filter, update: { $set: { b } }, upsert: true } };
  });
  await places(core.database).bulkWrite(claims, { ordered: false, ...withSession(step) });
}
