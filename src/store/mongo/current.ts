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
  const wanted = [...new Set(ids)].map(id => `${p}/${id}`);
  const options = { projection: storedFields, ...withSession(step) };
  for (let at = 0; at < wanted.length; at += idsAtOnce) {
    const some = wanted.slice(at, at + idsAtOnce);
    const filter: Filter<ResourceDocument> = { _id: { $in: some }, ...(core.deployment.sharded ? { p } : {}) };
    const page = resources(core, type).find<Stored>(filter, { ...options, batchSize: some.length });
    for (const one of await page.toArray()) found.set(one._id.slice(p.length + 1), one);
  }
  return found;
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
