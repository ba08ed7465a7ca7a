import type { ResourceType } from '../../model/model.ts';
import { createdOrder, type IndexState } from '../port/indexes.ts';
import { pendingIn } from '../upkeep/indexes.ts';
import { ofPartition } from './attachment-bucket.ts';
import { parameters } from './collections.ts';
import type { Core, PartitionInfo } from './core.ts';
import { countOf } from './count.ts';
import { type WantedIndex, wantedIndexes } from './declared-indexes.ts';
import type { ParameterDocument } from './layout.ts';

/** `_id` of the state of an index. */
export function parameterId(p: string, type: string, code: string): string {
  return `${p}/${type}/${code}`;
}

/**
 * One index that the definitions need, with its state in the store; undefined if the store has none for this
 * definition.
 */
export interface Parameter extends WantedIndex {
  readonly kept: ParameterDocument | undefined;
}

/** The indexes of a type in a partition. */
export async function readParameters(
  { database }: Pick<Core, 'database'>,
  { p, settings }: Pick<PartitionInfo, 'p' | 'settings'>,
  type: ResourceType,
): Promise<readonly Parameter[]> {
  const found = await parameters(database)
    .find({ _id: ofPartition(`${p}/${type.name}`) })
    .toArray();
  const known = new Map(found.map(kept => [kept._id, kept]));
  return wantedIndexes(type, settings.zone).map(({ code, digest }) => {
    const kept = known.get(parameterId(p, type.name, code));
    return { code, digest, kept: kept?.digest === digest ? kept : undefined };
  });
}

/** The codes of the complete ones. */
export async function readyCodes(...place: Parameters<typeof readParameters>): Promise<readonly string[]> {
  return (await readParameters(...place)).flatMap(({ code, kept }) => (kept?.state === 'ready' ? [code] : []));
}

/** The progress of each index of a type, pairs too, in the order of the definitions. */
export async function statesOf(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
): Promise<readonly IndexState[]> {
  const found = await readParameters(core, partition, type);
  const of = await countOf(core, partition.p, type.name);
  return found.map(({ code, kept }) => ({
    partition: partition.id,
    type: type.name,
    param: code,
    state: kept?.state ?? 'pending',
    done: kept?.state === 'ready' ? of : Math.min(of, kept?.done ?? 0),
    of,
  }));
}

/**
 * The parameters of a type that cannot be searched yet. Pairs only make searches faster, so they are not among them.
 * Reads the server only if the registry, which searches use too, does not know that all are ready.
 */
export async function pendingOf(
  core: Core,
  partition: PartitionInfo,
  type: ResourceType,
): Promise<readonly IndexState[]> {
  const ready = await core.registry.ready(partition.p, type);
  const isReady = [...type.indexed.keys()].every(code => ready.has(code));
  if (isReady && (type.sortDate !== undefined || ready.has(createdOrder))) return [];
  const waiting = pendingIn(type, await statesOf(core, partition, type));
  // A caller without pending ones may search: the cache is older.
  if (waiting.length === 0) core.registry.forget();
  return waiting;
}
