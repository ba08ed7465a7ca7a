import type { Filter } from 'mongodb';
import type { HistoryScope, KeptVersion, VersionKey } from '../port/transfer.ts';
import { fewAtOnce } from '../record/few-at-once.ts';
import { versionOrder } from '../record/versions.ts';
import { ofPartition } from './attachment-bucket.ts';
import { typesKept } from './collections.ts';
import { type Core, history, resources, versionsOf } from './core.ts';
import { attachedTo, historyId, idsAtOnce, ownedVersion, readMany, type Stored, storedVersion } from './current.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { pagesOf } from './pages.ts';
import { usedTypesOf } from './referring.ts';

/**
 * Types with records in a partition, tombstones too, also where the definitions do not declare them; in order.
 */
export async function keptTypes(core: Core, p: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await typesKept(core.database)) {
    const any = await resources(core, name).findOne({ _id: ofPartition(p), p }, { projection: { _id: 1 } });
    if (any !== null) found.push(name);
  }
  return found;
}

/** All versions of the resources of a type with their attachments, tombstones too: by id, then version; after an id. */
export async function* keptVersions(core: Core, p: string, type: string, after = ''): AsyncIterable<KeptVersion> {
  const within = { $gt: `${p}/${after}`, $lt: ofPartition(p).$lt };
  for await (const page of pagesOf<Kept>(resources(core, type), { p }, { within, project: fields })) {
    const older = await olderVersions(core, p, type, page);
    for (const current of page) {
      const id = current._id.slice(p.length + 1);
      for (const version of [...(older.get(id) ?? []), current])
        yield { ...storedVersion(p, type, version), attachments: attachedTo(version) };
    }
  }
}

type Kept = Pick<ResourceDocument, '_id' | 'version' | 'updated' | 'text' | 'attached'>;

const fields = { version: 1, updated: 1, text: 1, attached: 1 };

/** A version is in the history before it is replaced: a copy of the current one there is skipped. */
async function olderVersions(
  core: Core,
  p: string,
  type: string,
  page: readonly Kept[],
): Promise<ReadonlyMap<string, readonly Kept[]>> {
  const found = new Map<string, Kept[]>();
  const updated = page.filter(({ version }) => version > 1);
  if (updated.length === 0) return found;
  const current = new Map(updated.map(({ _id, version }) => [_id.slice(p.length + 1), version]));
  // `0` follows `/`.
  const ranges: Filter<HistoryDocument>[] = updated.map(({ _id }) => ({ _id: { $gt: `${_id}/`, $lt: `${_id}0` }, p }));
  const versions = await history(core, type).find({ $or: ranges }).project<Kept>(fields).toArray();
  for (const version of versions.toSorted((a, b) => a.version - b.version)) {
    const id = version._id.slice(p.length + 1, version._id.lastIndexOf('/'));
    if (version.version >= (current.get(id) ?? 0)) continue;
    found.set(id, [...(found.get(id) ?? []), version]);
  }
  return found;
}

/** Records that one command reads. */
const recordSlice = 100;

/** The next current versions of a type, tombstones too, by id. */
export async function currentSlice(
  core: Core,
  p: string,
  type: string,
  after: string,
): Promise<{ readonly versions: readonly KeptVersion[]; readonly isLast: boolean }> {
  const { $lt } = ofPartition(p);
  const found = await resources(core, type)
    .find<Stored>({ p, _id: { $gt: `${p}/${after}`, $lt } })
    .project<Stored>({ ...fields, owners: 1 })
    .sort({ _id: 1 })
    .limit(recordSlice)
    .toArray();
  return { versions: found.map(one => withAttachments(core, p, type, one)), isLast: found.length < recordSlice };
}

/** The last versions of records up to a time: the current ones are read before the older ones. */
export async function versionsUntil(
  core: Core,
  p: string,
  type: string,
  ids: readonly string[],
  time: number,
): Promise<readonly KeptVersion[]> {
  const current = await readMany(core, p, type, ids);
  const found = await fewAtOnce([...current], recordsAtOnce, async ([id, stored]) => {
    if (stored.updated <= time) return withAttachments(core, p, type, stored);
    const { $gte, $lt } = ofPartition(`${p}/${id}`);
    const [older] = await history(core, type)
      .find({ p, _id: { $gte, $lt }, updated: { $lte: time } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return older === undefined ? undefined : withAttachments(core, p, type, older);
  });
  return found.filter(one => one !== undefined);
}

/** Records whose older versions are read concurrently. */
const recordsAtOnce = 8;

/** Types that are read concurrently. */
const typesAtOnce = 4;

/**
 * The keys of the next versions in the order of time. Current versions are read before older ones: a version is in the
 * history before it is replaced, so that none is missing.
 */
export async function nextKeys(core: Core, p: string, scope: HistoryScope): Promise<readonly VersionKey[]> {
  const used = scope.of.length > typesAtOnce ? await usedTypesOf(core, p) : undefined;
  const of = used === undefined ? scope.of : scope.of.filter(({ type }) => used.has(type));
  const found = await fewAtOnce(of, typesAtOnce, ({ type, ids }) =>
    ids === undefined ? keysOfType(core, p, type, scope) : keysOfRecords(core, p, type, ids, scope),
  );
  return found.flat();
}

interface Key {
  readonly _id: string;
  readonly version: number;
  readonly updated: number;
}

const keyFields = { version: 1, updated: 1 } as const;

/**
 * The next keys of a type. An index has the order of times alone; versions that were written at one time, at most those
 * of one write, are all read and sorted.
 */
async function keysOfType(core: Core, p: string, type: string, scope: HistoryScope): Promise<readonly VersionKey[]> {
  const { order, after, slice } = scope;
  const direction = order === 'newest' ? -1 : 1;
  const keys: Key[] = [];
  for (const versions of versionsOf(core, type)) {
    const at = async (time: number): Promise<Key[]> =>
      versions.find({ p, updated: time }).project<Key>(keyFields).toArray();
    const range = await versions
      .find({ p, ...timesOf(scope) })
      .project<Key>(keyFields)
      .sort({ updated: direction, _id: direction })
      .limit(slice)
      .toArray();
    const last = range.length < slice ? undefined : range.at(-1);
    keys.push(...range);
    if (after !== undefined) keys.push(...(await at(after.lastUpdated)));
    if (last !== undefined) keys.push(...(await at(last.updated)));
  }
  return keys.map(key => keyOf(p, type, key));
}

/** The next keys of some records: current versions, and the older ones by their numbers. */
async function keysOfRecords(
  core: Core,
  p: string,
  type: string,
  ids: readonly string[],
  scope: HistoryScope,
): Promise<readonly VersionKey[]> {
  const keys: Key[] = [];
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    keys.push(...(await currentKeys(core, p, type, ids.slice(at, at + idsAtOnce))));
  }
  const [first, second] = keys;
  if (first !== undefined && second === undefined) keys.push(...(await olderKeys(core, p, type, first, scope)));
  else {
    const older = keys.flatMap(({ _id, version }) =>
      numbersBelow(version).map(one => historyId(p, _id.slice(p.length + 1), one)),
    );
    for (let at = 0; at < older.length; at += idsAtOnce) {
      const filter = { p, _id: { $in: older.slice(at, at + idsAtOnce) }, ...timesOf(scope, true) };
      const found = history(core, type).find(filter, { batchSize: idsAtOnce });
      keys.push(...(await found.project<Key>(keyFields).toArray()));
    }
  }
  return keys.map(key => keyOf(p, type, key));
}

/** One record is read by its shard. */
async function currentKeys(core: Core, p: string, type: string, ids: readonly string[]): Promise<readonly Key[]> {
  if (ids.length === 1) return [...(await readMany(core, p, type, ids)).values()];
  const _id = { $in: ids.map(id => `${p}/${id}`) };
  return resources(core, type).find({ p, _id }, { batchSize: idsAtOnce }).project<Key>(keyFields).toArray();
}

const numbersBelow = (version: number): readonly number[] => Array.from({ length: version - 1 }, (_, at) => at + 1);

/** The next older versions of a record: the order of their numbers is that of times. */
async function olderKeys(
  core: Core,
  p: string,
  type: string,
  { _id }: Key,
  scope: HistoryScope,
): Promise<readonly Key[]> {
  const { order, after, slice } = scope;
  const [isNewest, id] = [order === 'newest', _id.slice(p.length + 1)];
  const last = after?.type === type && after.id === id ? historyId(p, id, after.version) : undefined;
  const follows = after !== undefined && versionOrder(order)({ ...after, type, id }, after) > 0;
  const times = timesOf(last === undefined ? scope : { ...scope, after: undefined }, follows);
  const { $gte, $lt } = ofPartition(_id);
  const within = isNewest ? { $gte, $lt: last ?? $lt } : { $gt: last ?? $gte, $lt };
  return history(core, type)
    .find({ p, _id: within, ...times })
    .project<Key>(keyFields)
    .sort({ _id: isNewest ? -1 : 1 })
    .limit(slice)
    .toArray();
}

/**
 * The condition on times, which are whole milliseconds; with `follows` also that of the version after which the slice
 * begins.
 */
function timesOf({ order, from, to, after }: HistoryScope, follows = false): { readonly updated?: object } {
  const isNewest = order === 'newest';
  const next = after === undefined ? undefined : after.lastUpdated + (follows ? 0 : isNewest ? -1 : 1);
  const low = Math.max(from ?? -Infinity, (isNewest ? undefined : next) ?? -Infinity);
  const high = Math.min(to ?? Infinity, (isNewest ? next : undefined) ?? Infinity);
  const updated = {
    ...(low === -Infinity ? {} : { $gte: low }),
    ...(high === Infinity ? {} : { $lte: high }),
  };
  return Object.keys(updated).length === 0 ? {} : { updated };
}

function keyOf(p: string, type: string, { _id, version, updated }: Key): VersionKey {
  const [id = ''] = _id.slice(p.length + 1).split('/');
  return { type, id, version, lastUpdated: updated };
}

/** Versions that are read together. */
const versionsAtOnce = 50;

/**
 * The versions with these keys, in their order. Without copies in the history that a write left there after it lost a
 * race: they are not older than the current version.
 */
export async function* versionsAt(core: Core, p: string, keys: readonly VersionKey[]): AsyncIterable<KeptVersion> {
  for (let at = 0; at < keys.length; at += versionsAtOnce) {
    const some = keys.slice(at, at + versionsAtOnce);
    const found = new Map<string, KeptVersion>();
    const keep = (type: string, stored: Stored): void => {
      const version = withAttachments(core, p, type, stored);
      found.set(`${type}/${version.id}/${version.version}`, version);
    };
    for (const [type, of] of Map.groupBy(some, key => key.type)) {
      const ids = of.map(({ id }) => id);
      const current = await readMany(core, p, type, ids);
      const older: string[] = [];
      for (const { id, version } of of) {
        const stored = current.get(id);
        if (stored?.version === version) keep(type, stored);
        else if (stored !== undefined && version < stored.version) older.push(historyId(p, id, version));
      }
      if (older.length === 0) continue;
      for await (const stored of history(core, type).find({ p, _id: { $in: older } })) keep(type, stored);
    }
    for (const { type, id, version } of some) {
      const one = found.get(`${type}/${id}/${version}`);
      if (one !== undefined) yield one;
    }
  }
}

const withAttachments = (core: Core, p: string, type: string, stored: Stored): KeptVersion => ({
  ...ownedVersion(core, p, type, stored),
  attachments: attachedTo(stored),
});
