import type { ResourceType } from '../../model/model.ts';
import { ofPartition } from './attachment-bucket.ts';
import { parameters } from './collections.ts';
import { type Core, type PartitionInfo, resources } from './core.ts';
import { definitionsDigest, madeBy, noDefinitions } from './declared-indexes.ts';
import { livingServers } from './heartbeat.ts';
import type { ParameterDocument } from './layout.ts';
import { pagesOf } from './pages.ts';
import { readParameters } from './parameters.ts';
import { readable, type Readable, rewriteFields } from './rewrite-fields.ts';

/** How long after noticing other definitions a write of another process may still arrive, in milliseconds. */
const margin = 6_000;

/** A wait that was not polled for this time starts again, in milliseconds. */
const forgotten = 60_000;

/**
 * Before indexes of a type become ready: finds documents that processes with other definitions wrote since ours were
 * registered, and rebuilds their fields. Such processes notice within a second, and their requests arrive within the
 * timeout of an operation. False before that time.
 */
async function rewriteLate(core: Core, partition: PartitionInfo, type: ResourceType): Promise<boolean> {
  const ours = definitionsDigest(core.options.model);
  const servers = await livingServers(core);
  const others = servers.some(({ definitions }) => definitions !== ours && definitions !== noDefinitions);
  // Other processes, and other writes of this one, may not have noticed the parameters of stored definitions yet.
  const isStored = [...type.indexed.values()].some(({ stored }) => stored === true);
  const areOthers = others || (isStored && servers.length > 1);
  if (!areOthers && !core.beganBeside && !isStored) return true;
  if (areOthers && !isOver(core, `${partition.p}/${type.name}`)) return false;
  if (isStored) await Promise.allSettled(core.writes);
  const { p, settings } = partition;
  const late = { p, text: { $exists: true }, made: { $ne: madeBy(type, settings.zone) } };
  const options = { within: ofPartition(p), project: { ...readable, text: 1 } };
  for await (const page of pagesOf<Readable>(resources(core, type.name), late, options))
    await rewriteFields(core, partition, type, page);
  return true;
}

interface Wait {
  readonly since: number;
  asked: number;
}

const waits = new WeakMap<Core, Map<string, Wait>>();

function isOver(core: Core, place: string): boolean {
  const known = waits.get(core) ?? new Map<string, Wait>();
  waits.set(core, known);
  const now = performance.now();
  const wait = known.get(place);
  if (wait === undefined || now - wait.asked > forgotten) {
    known.set(place, { since: now, asked: now });
    return false;
  }
  wait.asked = now;
  return now - wait.since >= core.options.deadline + margin;
}

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
  const toRewrite = page.filter(({ text }) => text !== undefined);
  await rewriteFields(core, partition, type, toRewrite);
  const isLast = page.length < rebuildSliceSize;
  if (isLast && !(await rewriteLate(core, partition, type))) return 'waiting';
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
