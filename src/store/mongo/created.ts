import type { ResourceType } from '../../model/model.ts';
import { orderValue } from '../keys/order-key.ts';
import { createdAmong } from '../record/versions.ts';
import { type Core, history, type Step, withSession } from './core.ts';
import type { Stored } from './current.ts';
import type { ResourceDocument } from './layout.ts';
import { createdField } from './names.ts';

type Current = Pick<ResourceDocument, '_id' | 'version' | 'updated'>;

/**
 * When records of a type were created, by the `_id` of their current versions, in milliseconds since 1970 UTC. None of
 * a type with a sort date, whose documents do not have it. No current version is a tombstone.
 */
export async function createdTimes(
  core: Core,
  p: string,
  { name, sortDate }: Pick<ResourceType, 'name' | 'sortDate'>,
  current: readonly Current[],
  step: Step = {},
): Promise<ReadonlyMap<string, number>> {
  if (sortDate !== undefined) return new Map();
  const updated = current.filter(({ version }) => version > 1);
  const times = new Map(current.map(one => [one._id, one.updated]));
  if (updated.length === 0) return times;
  const older = await history(core, name)
    // `0` follows `/`.
    .find({ $or: updated.map(({ _id }) => ({ _id: { $gt: `${_id}/`, $lt: `${_id}0` }, p })) }, withSession(step))
    .project<Older>({ version: 1, updated: 1, isRemoved: { $eq: [{ $type: '$text' }, 'missing'] } })
    .toArray();
  const byRecord = Map.groupBy(older, ({ _id }) => _id.slice(0, _id.lastIndexOf('/')));
  for (const { _id, version, updated: lastUpdated } of updated) {
    // The current version may be in the history already: it is there before it is replaced.
    const before = (byRecord.get(_id) ?? []).filter(one => one.version < version);
    const versions = before.map(one => ({ ...one, lastUpdated: one.updated, text: one.isRemoved ? undefined : '' }));
    times.set(_id, createdAmong([...versions, { version, lastUpdated, text: '' }]) ?? lastUpdated);
  }
  return times;
}

interface Older {
  readonly _id: string;
  readonly version: number;
  readonly updated: number;
  readonly isRemoved: boolean;
}

/**
 * When the record of a current version was created; undefined if there is none, or for a type with a sort date. By its
 * document, which lacks it if it was written under other definitions: then by its older versions.
 */
export async function createdBefore(
  core: Core,
  p: string,
  type: string,
  current: Stored | undefined,
  step: Step = {},
): Promise<number | undefined> {
  const known = core.options.model.types.get(type);
  if (known === undefined || known.sortDate !== undefined || current?.text === undefined) return undefined;
  const kept = current.o?.[createdField];
  if (kept !== undefined) return orderValue(kept) ?? undefined;
  return (await createdTimes(core, p, known, [current], step)).get(current._id);
}
