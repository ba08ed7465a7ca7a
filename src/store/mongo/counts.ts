import type { Filter } from 'mongodb';
import { ofPartition } from './attachment-bucket.ts';
import { termIndex } from './collection-indexes.ts';
import { type Core, resources } from './core.ts';
import { withHint } from './find.ts';
import type { ResourceDocument } from './layout.ts';
import { everyTerm } from './names.ts';

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
