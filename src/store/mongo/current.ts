import type { Filter } from 'mongodb';
import { parseOwners } from '../keys/owners.ts';
import type { Attached } from '../port/blobs.ts';
import type { StoredVersion } from '../port/records.ts';
import { ownerOf } from './bucket.ts';
import { places } from './collections.ts';
import { type Core, history, resources, type Step, withSession } from './core.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { createdField } from './names.ts';

/** A version without its search fields; a current one with the time of its creation. */
export type Stored = Omit<HistoryDocument, 'p'> & Partial<Pick<ResourceDocument, 'o'>>;

/** The fields of a document without its index entries, but the time of its creation. */
const storedFields = {
  b: 1,
  version: 1,
  updated: 1,
  text: 1,
  owners: 1,
  attached: 1,
  digest: 1,
  [`o.${createdField}`]: 1,
} as const;

/** Ids that one command has: they take less than half of a document of 16 MiB. */
export const idsAtOnce = 40_000;

/** The current version of a resource, also a tombstone. */
export async function readCurrent(
  core: Core,
  p: string,
  type: string,
  id: string,
  step: Step = {},
): Promise<Stored | undefined> {
  const options = { projection: storedFields, ...withSession(step) };
  const all = resources(core, type);
  const _id = `${p}/${id}`;
  if (!core.deployment.sharded) return (await all.findOne<Stored>({ _id }, options)) ?? undefined;
  if (hasPlaces(core, type)) {
    const place = await places(core.database).findOne({ _id: `${p}/${type}/${id}` }, options);
    if (place === null) return undefined;
    const found = await all.findOne<Stored>({ p, b: place.b, _id }, options);
    if (found !== null) return found;
    // It is being moved, or the process that moved it ended before: all shards of the partition are searched.
  }
  return (await all.findOne<Stored>({ p, _id }, options)) ?? undefined;
}

/** Current versions of a type by id, also tombstones. */
export async function readMany(
  core: Core,
  p: string,
  type: string,
  ids: readonly string[],
  step: Step = {},
): Promise<ReadonlyMap<string, Stored>> {
  const found = new Map<string, Stored>();
  const find = async (some: readonly string[], filter: Filter<ResourceDocument>): Promise<void> => {
    const options = { projection: storedFields, batchSize: some.length, ...withSession(step) };
    const named = { _id: { $in: some.map(id => `${p}/${id}`) }, ...filter };
    for (const one of await resources(core, type).find<Stored>(named, options).toArray())
      found.set(one._id.slice(p.length + 1), one);
  };
  const wanted = [...new Set(ids)];
  for (let at = 0; at < wanted.length; at += idsAtOnce) {
    const some = wanted.slice(at, at + idsAtOnce);
    if (!hasPlaces(core, type)) {
      await find(some, core.deployment.sharded ? { p } : {});
      continue;
    }
    const placed = await readPlaces(core, p, type, some, step);
    const [there, buckets] = [[...placed.keys()], [...new Set(placed.values())]];
    if (there.length > 0) await find(there, { p, b: { $in: buckets } });
    const moving = there.filter(id => !found.has(id));
    if (moving.length > 0) await find(moving, { p });
  }
  return found;
}

/** The buckets of records by id, from the directory. */
async function readPlaces(
  { database }: Core,
  p: string,
  type: string,
  ids: readonly string[],
  step: Step,
): Promise<ReadonlyMap<string, string>> {
  const start = `${p}/${type}/`;
  const named = { _id: { $in: ids.map(id => start + id) } };
  const found = await places(database)
    .find(named, { batchSize: ids.length, ...withSession(step) })
    .toArray();
  return new Map(found.map(({ _id, b }) => [_id.slice(start.length), b]));
}

/** An older version of a resource. */
export async function readOlder(
  core: Core,
  p: string,
  type: string,
  id: string,
  version: number,
): Promise<HistoryDocument | undefined> {
  return (await history(core, type).findOne({ _id: historyId(p, id, version), p })) ?? undefined;
}

/** `_id` of an older version: in the order of versions. */
export function historyId(p: string, id: string, version: number): string {
  return `${p}/${id}/${String(version).padStart(10, '0')}`;
}

export function storedVersion(
  p: string,
  type: string,
  { _id, version, updated, text }: Pick<Stored, '_id' | 'version' | 'updated' | 'text'>,
): StoredVersion {
  const [id = ''] = _id.slice(p.length + 1).split('/');
  return { type, id, version, lastUpdated: updated, text };
}

/** The attachments of a version; a tombstone has none. */
export const attachedTo = ({ text, attached = [] }: Pick<Stored, 'text' | 'attached'>): readonly Attached[] =>
  text === undefined ? [] : attached;

/** Returns what `storedVersion` does, with the owners if these definitions derived them. */
export function ownedVersion({ options }: Core, p: string, type: string, stored: Stored): StoredVersion {
  const owners = parseOwners(options.model.types.get(type), stored.owners);
  return { ...storedVersion(p, type, stored), owners };
}

/** Whether a type's ids have a directory with their shards. */
export function hasPlaces({ deployment, options }: Core, type: string): boolean {
  const known = options.model.types.get(type);
  return deployment.sharded && known !== undefined && ownerOf(known) !== undefined;
}
