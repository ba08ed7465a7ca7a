import type { ResourceType } from '../../model/model.ts';
import { ofPartition } from './attachment-bucket.ts';
import { parameters } from './collections.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import type { ParameterDocument } from './layout.ts';
import { readParameters } from './parameters.ts';
import { remakeLate } from './rebuild-late.ts';
import { readable, type Readable, remake } from './remake.ts';
import { definitionsDigest, madeBy } from './wanted.ts';

/** Resources per slice. */
const rebuildSliceSize = 100;

/**
 * Fills the pending indexes of a type from its next slice of resources. `waiting`: all are filled, but processes with
 * other definitions may have written meanwhile; call again later. `done`: nothing is pending, or another process's
 * definitions apply.
 */
export async function rebuildSlice(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
): Promise<'more' | 'waiting' | 'done'> {
  // Documents with fields of other definitions lack entries of these.
  if ((await core.registry.definitions()) !== definitionsDigest(core.options.model)) return 'done';
  const found = (await readParameters(core, partition, type)).flatMap(({ kept }) => kept ?? []);
  const pending = found.filter(({ state }) => state === 'pending');
  if (pending.length === 0) return 'done';
  const from = pending.map(({ after }) => after).reduce((least, after) => (after < least ? after : least));
  const isAnew = pending.some(({ anew }) => anew === true);
  const page = await readSlice(core, partition, type, from, isAnew);
  const toRemake = page.filter(({ text }) => text !== undefined);
  await remake(core, partition, type, toRemake);
  const isLast = page.length < rebuildSliceSize;
  if (isLast && !(await remakeLate(core, partition, type))) return 'waiting';
  const ids = page.map(({ _id }) => _id.slice(partition.p.length + 1));
  for (const one of pending) await advance(core, one, ids, isLast);
  if (isLast) core.registry.forget();
  return 'more';
}

/** The next resources after an id; with their text if their fields must be rebuilt. */
async function readSlice(
  core: Core,
  { p, settings }: PartitionInfo,
  type: ResourceType,
  from: string,
  anew: boolean,
): Promise<readonly Readable[]> {
  const made = { $literal: madeBy(type, settings.zone) };
  const text = anew ? 1 : { $cond: [{ $ne: ['$made', made] }, '$text', '$$REMOVE'] };
  const { $gte, $lt } = ofPartition(p);
  return resources(core, type.name)
    .find({ _id: { $gt: `${$gte}${from}`, $lt }, p, text: { $exists: true } })
    .project<Readable>({ ...readable, text })
    .sort({ _id: 1 })
    .limit(rebuildSliceSize)
    .toArray();
}

/** Stores the progress of an index; not if another process has done so already, or it has started over. */
async function advance(core: Core, one: ParameterDocument, ids: readonly string[], isLast: boolean): Promise<void> {
  const { _id, digest, after, anew } = one;
  const fresh = ids.filter(id => id > after);
  await parameters(core.database).updateOne(
    { _id, digest, state: 'pending', after, anew: anew ?? { $exists: false } },
    {
      $set: { after: fresh.at(-1) ?? after, ...(isLast ? { state: 'ready' } : {}) },
      $inc: { done: fresh.length },
      ...(isLast ? { $unset: { anew: 1 } } : {}),
    },
  );
}
