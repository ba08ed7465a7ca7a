import type { Filter } from 'mongodb';
import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import type { Explain } from '../port/explained.ts';
import { ofPartition } from './attachment-bucket.ts';
import { termIndex } from './collection-indexes.ts';
import { type Core, type PartitionInfo, resources, type Step } from './core.ts';
import { explained, traceCommand } from './explain.ts';
import { asTheUrlSays, findDocuments, withHint } from './find.ts';
import type { ResourceDocument } from './layout.ts';
import { everyTerm } from './names.ts';
import { idOf } from './order.ts';
import { type Place, readIndexes, resolveQuery, unorderedPlan } from './plan.ts';

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
  const plan = unorderedPlan(place, asked);
  const found = await findDocuments<{ _id: string }>(place, plan, { projection: { _id: 1 }, limit }, step);
  return found.map(({ _id }) => idOf(_id));
}

/**
 * Keys that one operation counts: half a second, so that the largest type is counted within the timeout of an
 * operation.
 */
const keysAtOnce = 500_000;

/** The number of current resources of a type in a partition: a count of keys, in steps. */
export async function countOf(core: Core, p: string, type: string, atOnce = keysAtOnce): Promise<number> {
  let count = 0;
  for (let after = ofPartition(p).$gte; ;) {
    const filter = { t: everyTerm(p), _id: { $gt: after }, ...(core.deployment.sharded ? { p } : {}) };
    const last = await keyBehind(core, type, filter, atOnce - 1);
    if (last === undefined) return count + (await countAll(core, type, filter));
    count += atOnce;
    after = last;
  }
}

/** The `_id` after so many others; undefined if there are no more. */
async function keyBehind(
  core: Core,
  type: string,
  filter: Filter<ResourceDocument>,
  skip: number,
): Promise<string | undefined> {
  const options = { projection: { _id: 1 }, sort: { _id: 1 }, skip, limit: 1 } as const;
  const [found] = await withHint(termIndex(core.deployment), {}, hinted =>
    resources(core, type)
      .find(filter, { ...options, ...hinted })
      .toArray(),
  );
  return found?._id;
}

async function countAll(core: Core, type: string, filter: Filter<ResourceDocument>): Promise<number> {
  return withHint(termIndex(core.deployment), {}, hinted => resources(core, type).countDocuments(filter, hinted));
}
