import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { resolveQuery, readIndexes } from './resolve-query.ts';
import { type Core, type PartitionInfo, resources, type Step } from './core.ts';
import { asTheUrlSays, findDocuments, withHint } from './find.ts';
import { idOf } from './order.ts';
import { type Place, unorderedPlan } from './plan.ts';

/** The number of matching resources of a type. Throws like `searchPage`. */
export async function countMatches(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  type: ResourceType,
  query: Query,
): Promise<number> {
  const place: Place = { core, type, p };
  const asked = resolveQuery(place, query, await readIndexes(place));
  if (asked === undefined) return 0;
  const { filter, hint } = unorderedPlan(place, asked);
  const options = { ...asTheUrlSays(core), maxTimeMS: core.options.deadline };
  return withHint(hint, {}, hinted => resources(core, type.name).countDocuments(filter, { ...options, ...hinted }));
}

/** The ids of matching resources, up to a limit, in any order. Throws like `searchPage`. */
export async function findMatches(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  type: ResourceType,
  query: Query,
  limit: number,
  step: Step = {},
): Promise<readonly string[]> {
  const place: Place = { core, type, p };
  const asked = resolveQuery(place, query, await readIndexes(place));
  if (asked === undefined) return [];
  const plan = unorderedPlan(place, asked);
  const found = await findDocuments<{ _id: string }>(place, plan, { projection: { _id: 1 }, limit }, step);
  return found.map(({ _id }) => idOf(_id));
}
