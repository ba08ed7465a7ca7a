import type { Reference } from '../upkeep/verify-attachments.ts';
import { attachedIndex } from './collection-indexes.ts';
import { insertNew } from './collections.ts';
import { type Core, versionsOf } from './core.ts';

interface AttachingType {
  /** Name of a resource type. */
  readonly _id: string;
}

/**
 * Notes, before a record is written, that records of this type have attachments; once per process. Later definitions
 * may lack it, and then the attachments must still be known to have a record.
 */
export async function noteType(core: Core, type: string): Promise<void> {
  const known = noted.get(core) ?? new Set();
  noted.set(core, known);
  if (known.has(type)) return;
  // A later start creates it in the background if it is missing.
  if (await insertNew(attaching(core), { _id: type }))
    for (const collection of versionsOf(core, type)) await collection.createIndexes([attachedIndex]);
  known.add(type);
}

const noted = new WeakMap<Core, Set<string>>();

/** The types with attachments, current or former, in order. */
export async function attachingTypes(core: Core): Promise<readonly string[]> {
  return (await attaching(core).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
}

function attaching({ database }: Core) {
  return database.collection<AttachingType>('attachments.types');
}

/** Whether a version of a record references these bytes. */
export async function hasRecord(core: Core, types: readonly string[], p: string, digest: string): Promise<boolean> {
  const filter = { p, 'attached.digest': digest };
  for (const type of types) {
    for (const collection of versionsOf(core, type))
      if ((await collection.findOne(filter, { projection: { _id: 1 } })) !== null) return true;
  }
  return false;
}

/** The attachments of a partition that versions reference, among those whose digest begins with these digits. */
export async function* references(
  core: Core,
  types: readonly string[],
  p: string,
  digits: string,
): AsyncIterable<Reference> {
  const filter = { p, attached: { $elemMatch: { digest: { $gte: digits, $lt: `${digits}g` } } } };
  for (const type of types)
    for (const collection of versionsOf(core, type)) {
      const versions = collection.find(filter).project<Carrying>({ version: 1, attached: 1 });
      for await (const { _id, version, attached } of versions) {
        const record = `${type}/${_id.split('/')[1] ?? ''}/_history/${version}`;
        for (const { digest, size } of attached) if (digest.startsWith(digits)) yield { digest, size, record };
      }
    }
}

interface Carrying {
  readonly _id: string;
  readonly version: number;
  readonly attached: readonly { readonly digest: string; readonly size: number }[];
}
