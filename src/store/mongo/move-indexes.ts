import type { ResourceType } from '../../model/model.ts';
import { differInRoot, rootIn } from '../at-root.ts';
import { DeadlinePassed } from '../errors.ts';
import { rootRanges } from '../terms.ts';
import { ofPartition } from './attachment-bucket.ts';
import { termIndex } from './collection-indexes.ts';
import { parameters, partitions } from './collections.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { portError } from './failures.ts';
import { withHint } from './find.ts';
import type { ParameterDocument } from './layout.ts';
import { termsOf } from './names.ts';
import { definitionsDigest, type WantedIndex, wantedIndexes } from './wanted.ts';

/**
 * Makes indexes of a type, which are kept by another public URL on which nothing in them depends, those of ours: they stay ready,
 * or as far as they are.
 */
export async function moveIndexes(core: Core, partition: PartitionInfo, type: ResourceType): Promise<void> {
  const { moved } = await compareRoots(core, partition, type);
  if (moved.length === 0) return;
  const steps = moved.map(({ kept: { _id, digest }, wanted }) => ({
    updateOne: { filter: { _id, digest }, update: { $set: { digest: wanted.digest } } },
  }));
  await parameters(core.database).bulkWrite(steps, { ordered: false });
}

/**
 * Has a command go on by the public URL of the definitions that are registered. False where more differs, where something depends
 * on it, or the command cannot.
 */
export async function followRoot(core: Core, registered: string): Promise<boolean> {
  const { options } = core;
  if (options.at === undefined || !differInRoot(registered, definitionsDigest(options.model))) return false;
  for (const { _id: id, key: p, zone } of await partitions(core.database).find().toArray())
    for (const type of options.model.types.values())
      if ((await compareRoots(core, { id, p, settings: { zone } }, type)).depending) return false;
  core.options = { ...options, ...options.at(rootIn(registered) ?? '') };
  core.registry.forget();
  return true;
}

/** Has whoever only reads do so by the public URL of what is registered, where that alone differs and nothing depends on it. */
export async function followWhereSame(core: Core): Promise<void> {
  const registered = await core.registry.definitions();
  if (registered !== undefined) await followRoot(core, registered);
}

interface Moved {
  readonly kept: ParameterDocument;
  readonly wanted: WantedIndex;
}

/** Which indexes differ in their public URL alone: `moved` without entries that depend on it, `depending` whether any has some. */
async function compareRoots(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
): Promise<{ readonly moved: readonly Moved[]; readonly depending: boolean }> {
  const start = `${partition.p}/${type.name}`;
  const documents = await parameters(core.database)
    .find({ _id: ofPartition(start) })
    .toArray();
  const kept = new Map(documents.map(one => [one._id.slice(start.length + 1), one]));
  const differing = new Map<string, Moved>();
  for (const wanted of wantedIndexes(type, partition.settings.zone)) {
    const found = kept.get(wanted.code);
    if (found !== undefined && differInRoot(found.digest, wanted.digest))
      differing.set(wanted.code, { kept: found, wanted });
  }
  const own = [...differing.values()].filter(({ wanted }) => wanted.owner === undefined);
  const depend = await dependingOf(core, partition, type, own);
  // The terms of a pair hold those of its owner, which tells of both where all of it is there.
  const stays = ({ wanted: { code, owner } }: Moved): boolean =>
    owner === undefined
      ? !depend.has(code)
      : !depend.has(owner) && differing.has(owner) && kept.get(owner)?.state === 'ready';
  return { moved: [...differing.values()].filter(stays), depending: depend.size > 0 };
}

/** Codes of the indexes with entries that are others by our public URL. */
async function dependingOf(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
  indexes: readonly Moved[],
): Promise<ReadonlySet<string>> {
  const depending = new Set<string>();
  for (;;) {
    const left = indexes.filter(({ wanted }) => !depending.has(wanted.code));
    const found = left.length === 0 ? [] : await oneDepending(core, partition, type, left);
    if (found.length === 0) return depending;
    for (const code of found) depending.add(code);
  }
}

/** Which of the indexes the first document tells of that has such an entry: one range of terms an index. */
async function oneDepending(
  core: Core,
  { id, p }: PartitionInfo,
  type: ResourceType,
  indexes: readonly Moved[],
): Promise<readonly string[]> {
  const { deadline } = core.options;
  const ranges = indexes.flatMap(({ wanted: { code, digest } }) =>
    rootRanges(rootIn(digest) ?? '', id).map(({ from, to }) => ({
      code,
      $gte: termsOf(p, code) + from,
      $lt: termsOf(p, code) + to,
    })),
  );
  const filter = { p, $or: ranges.map(({ $gte, $lt }) => ({ t: { $elemMatch: { $gte, $lt } } })) };
  try {
    const document = await withHint(termIndex(core.deployment), {}, hint =>
      resources(core, type.name).findOne(filter, { ...hint, projection: { t: 1 }, maxTimeMS: deadline }),
    );
    const holds = ({ $gte, $lt }: (typeof ranges)[number]): boolean =>
      document?.t.some(term => term >= $gte && term < $lt) === true;
    return [...new Set(ranges.filter(holds).map(({ code }) => code))];
  } catch (error) {
    // Without an index of terms it takes too long to say.
    if (portError(error, deadline) instanceof DeadlinePassed) return indexes.map(({ wanted }) => wanted.code);
    throw error;
  }
}
