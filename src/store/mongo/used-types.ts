import type { Db } from 'mongodb';
import { fewAtOnce } from '../record/few-at-once.ts';
import { ofPartition } from './attachment-bucket.ts';
import { insertNew, meta, partitionsOf, readMeta, typesKept, usedTypes } from './collections.ts';
import { type Core, resources } from './core.ts';
import { livingServers } from './heartbeat.ts';
import { done, usedTypesMeta } from './prepare-database.ts';

/** What this process has listed, and the databases whose list is complete: neither becomes untrue. */
const listed = new WeakMap<Db, Set<string>>();
const complete = new WeakSet<Db>();

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

/**
 * The types that a partition uses, if only before: a write that was acknowledged before is among them. Undefined if
 * they are not listed yet.
 */
export async function usedTypesOf({ database }: Core, p: string): Promise<ReadonlySet<string> | undefined> {
  if (!complete.has(database)) {
    if ((await readMeta(database, usedTypesMeta)) !== done) return undefined;
    complete.add(database);
  }
  const found = await usedTypes(database)
    .find({ _id: ofPartition(p) })
    .toArray();
  return new Set(found.map(({ _id }) => _id.slice(p.length + 1)));
}

/**
 * Lists the types of records that engines of an earlier layout wrote, once for a store. Begins when none of those
 * engines runs any more.
 */
export async function fillUsedTypes(core: Core): Promise<void> {
  const { database } = core;
  if ((await readMeta(database, usedTypesMeta)) === done) return;
  if ((await livingServers(core)).some(({ layout = 1 }) => layout < 4)) return;
  const partitions = await partitionsOf(database);
  const pairs = (await typesKept(database)).flatMap(type => partitions.map(({ p }) => ({ type, p })));
  await fewAtOnce(pairs, 4, async ({ type, p }) => {
    const found = await resources(core, type).findOne({ _id: ofPartition(p) }, { projection: { _id: 1 } });
    if (found !== null) await listTypes(core, p, [type]);
  });
  await insertNew(meta(database), { _id: usedTypesMeta, value: done });
}
