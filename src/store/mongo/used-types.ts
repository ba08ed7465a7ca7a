import type { Db } from 'mongodb';
import { ofPartition } from './attachment-bucket.ts';
import { insertNew, usedTypes } from './collections.ts';
import type { Core } from './core.ts';

/** What this process has listed. */
const listed = new WeakMap<Db, Set<string>>();

/** Lists the types of records that are about to be written to a partition, before the first of each. */
export async function listTypes({ database }: Core, p: string, types: Iterable<string>): Promise<void> {
  const known = listed.get(database) ?? new Set();
  listed.set(database, known);
  for (const type of new Set(types)) {
    const _id = `${p}/${type}`;
    if (known.has(_id)) continue;
    await insertNew(usedTypes(database), { _id });
    known.add(_id);
  }
}

/** The types that a partition uses, if only before: a write that was acknowledged before is among them. */
export async function usedTypesOf({ database }: Core, p: string): Promise<ReadonlySet<string>> {
  const found = await usedTypes(database)
    .find({ _id: ofPartition(p) })
    .toArray();
  return new Set(found.map(({ _id }) => _id.slice(p.length + 1)));
}
