import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { indexFields } from './entries.ts';
import type { IndexFields, ResourceDocument } from './layout.ts';
import { madeBy } from './wanted.ts';

/** What is read of a document to make its fields again; `text` is left out where they follow the definitions. */
export type Readable = Pick<ResourceDocument, '_id' | 'p' | 'b' | 'version' | 'updated' | 'made' | 'text'> &
  IndexFields;

export const readable = { p: 1, b: 1, version: 1, updated: 1, made: 1, t: 1, s: 1, d: 1, n: 1, c: 1, o: 1 } as const;

/** The fields that a document should have in this partition. */
export function fieldsOf(
  core: Core,
  { id, p, settings }: PartitionInfo,
  type: ResourceType,
  { _id, updated, text = '' }: Readable,
): IndexFields {
  const entries = core.options.extract(type, text, { id, zone: settings.zone });
  return indexFields(type, p, _id.slice(p.length + 1), updated, entries);
}

/**
 * Writes the index fields of documents as the definitions of this process have them. A document that has changed since it was
 * read is left out: its write made its fields.
 */
export async function remake(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
  documents: readonly Readable[],
): Promise<void> {
  const made = madeBy(type, partition.settings.zone);
  const changes: AnyBulkWriteOperation<ResourceDocument>[] = [];
  for (const document of documents) {
    const { _id, p, b, version, made: before } = document;
    const fields = fieldsOf(core, partition, type, document);
    const isSame = isDeepStrictEqual(fields, keptFields(document));
    if (isSame && before === made) continue;
    const update = { $set: isSame ? { made } : { ...fields, made } };
    changes.push({ updateOne: { filter: { _id, p, b, version, made: before }, update } });
  }
  if (changes.length > 0) await resources(core, type.name).bulkWrite(changes, { ordered: false });
}

/** The index fields that a document has. */
export function keptFields({ t, s, d, n, c, o }: Readable): IndexFields {
  return { t, s, d, n, c, o };
}
