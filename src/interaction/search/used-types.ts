import type { ResourceType } from '../../model/model.ts';
import type { Place } from './joined.ts';

/** Up to so many types are searched without asking the store first which of them have records, or references. */
export const fewTypes = 4;

/**
 * What a search of several types asks of each, without the types that have no records: that of the whole system asks
 * all types of the server, and few of them have records.
 */
export async function ofUsedTypes<T extends { readonly type: ResourceType }>(
  asked: readonly T[],
  { partition }: Pick<Place, 'partition'>,
): Promise<readonly T[]> {
  if (asked.length <= fewTypes) return asked;
  const used = new Set(await partition.types());
  return asked.filter(({ type }) => used.has(type.name));
}
