import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation, UpdateFilter } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { printOwners } from '../keys/owners.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { claimPlaces } from './put-documents.ts';
import { bucketFor } from './bucket.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { createdTimes } from './created.ts';
import { madeBy } from './declared-indexes.ts';
import { indexFields } from './entries.ts';
import type { IndexFields, ResourceDocument } from './layout.ts';
import { inTransaction } from './transaction.ts';

/** The fields of a document that rebuilding needs; `text` is omitted if they follow the definitions. */
export type Readable = Pick<ResourceDocument, '_id' | 'p' | 'b' | 'version' | 'updated' | 'made' | 'text' | 'owners'> &
  IndexFields;

export const readable = {
  p: 1,
  b: 1,
  version: 1,
  updated: 1,
  made: 1,
  owners: 1,
  t: 1,
  s: 1,
  w: 1,
  d: 1,
  n: 1,
  c: 1,
  o: 1,
} as const;

/** The fields that a document should have in this partition, of a record that was created at this time. */
export function fieldsOf(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
  document: Readable,
  created: number | undefined,
  entries = core.options.extract(type, document.text ?? '', zoned(partition)),
): IndexFields {
  const { _id, p, updated } = document;
  return indexFields(type, p, _id.slice(p.length + 1), { updated, created: created ?? updated }, entries);
}

/**
 * Writes the index fields of documents by the definitions of this process. Skips a document that has changed since it
 * was read, since its write made its fields; and one with a damaged text, which has none.
 */
export async function rewriteFields(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
  documents: readonly Readable[],
): Promise<void> {
  const made = madeBy(type, partition.settings.zone);
  const changes: AnyBulkWriteOperation<ResourceDocument>[] = [];
  const created = await createdTimes(core, partition.p, type, documents);
  for (const document of documents) {
    const { _id, p, b, version, made: before } = document;
    const entries = entriesOfStored(core.options, type, document.text ?? '', zoned(partition));
    if (entries === undefined) continue;
    const fields = fieldsOf(core, partition, type, document, created.get(_id), entries);
    const bucket = bucketFor(core, type, p, _id.slice(p.length + 1), entries);
    const owners = printOwners(type, entries);
    const isSame = b === bucket && owners === document.owners && isDeepStrictEqual(fields, keptFields(document));
    if (isSame && before === made) continue;
    const filter = { _id, p, b, version, made: before };
    const fresh = { ...fields, owners, b: bucket, made };
    if (b !== bucket && core.deployment.sharded) await move(core, type.name, filter, fresh);
    else changes.push({ updateOne: { filter, update: isSame ? { $set: { made } } : replaced(fresh) } });
  }
  if (changes.length > 0) await resources(core, type.name).bulkWrite(changes, { ordered: false });
}

/** Moves a document to another shard, which cannot be part of a bulk write. */
async function move(
  core: Core,
  type: string,
  filter: Pick<ResourceDocument, '_id' | 'p' | 'version'>,
  fresh: IndexFields & Pick<ResourceDocument, 'b' | 'made'>,
): Promise<void> {
  const { _id, p } = filter;
  await inTransaction(core, async session => {
    const { matchedCount } = await resources(core, type).updateOne(filter, replaced(fresh), { session });
    if (matchedCount === 1) await claimPlaces(core, type, [{ _id, p, b: fresh.b }], { session });
  });
}

/** The update of a document to these fields, which may have no words. */
const replaced = (fresh: IndexFields): UpdateFilter<ResourceDocument> => ({
  $set: fresh,
  ...(fresh.w === undefined ? { $unset: { w: 1 } } : {}),
});

export const zoned = ({ id, settings }: PartitionInfo) => ({ id, zone: settings.zone });

/** The index fields of a document. */
export function keptFields({ t, s, w, d, n, c, o }: Readable): IndexFields {
  return { t, s, ...(w === undefined ? {} : { w }), d, n, c, o };
}
