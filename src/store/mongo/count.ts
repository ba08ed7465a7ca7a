import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Explain } from '../port/explained.ts';
import { type Core, type PartitionInfo, resources, type Step } from './core.ts';
import { countUses } from './count-uses.ts';
import { explained, traceCommand } from './explain.ts';
import { asTheUrlSays, findDocuments, withHint } from './find.ts';
import { idOf } from './order.ts';
import { type Place, unorderedPlan } from './plan.ts';
import { readIndexes, resolveQuery } from './resolve-query.ts';

/** The number of matching resources of a type. Throws like `searchPage`. */
export async function countMatches(
  core: Core,
  { p }: Pick<PartitionInfo, 'p'>,
  type: ResourceType,
  query: Query,
  explain?: Explain,
): Promise<number> {
  const place: Place = { core, type, p };
  return explain === undefined ? countIn(place, query) : explained(place, explain, traced => countIn(traced, query));
}

async function countIn(place: Place, query: Query): Promise<number> {
  const { core, type, trace } = place;
  const asked = resolveQuery(place, query, await readIndexes(place));
  if (asked === undefined) return 0;
  const { filter, hint } = unorderedPlan(place, asked);
  const options = { ...asTheUrlSays(core), maxTimeMS: core.options.deadline };
  countUses(place, asked, []);
  if (trace !== undefined) trace.clauses = asked.clauses;
  return withHint(hint, {}, async hinted => {
    const collection = resources(core, type.name);
    const pipeline = [{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }]; // as countDocuments does
    await traceCommand(place, { aggregate: type.name, pipeline, ...hinted }, () =>
      collection.aggregate(pipeline, { ...options, ...hinted }).explain('executionStats'),
    );
    return collection.countDocuments(filter, { ...options, ...hinted });
  });
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
  countUses(place, asked, []);
  const plan = unorderedPlan(place, asked);
  const found = await findDocuments<{ _id: string }>(place, plan, { projection: { _id: 1 }, limit }, step);
  return found.map(({ _id }) => idOf(_id));
}
