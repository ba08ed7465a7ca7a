import { type Core, resources } from './core.ts';
import { everyTerm } from './names.ts';
import { isCode } from './failures.ts';
import { termIndex } from './collection-indexes.ts';

/** How many current resources of each declared type a partition has, types without any left out; in the order of names. */
export async function countResources(core: Core, p: string): Promise<ReadonlyMap<string, number>> {
  const types = [...core.options.model.types.keys()].sort();
  const counts = await Promise.all(types.map(async type => [type, await countOf(core, p, type)] as const));
  return new Map(counts.filter(([, count]) => count > 0));
}

/** How many current resources of a type a partition has: a count of keys. */
export async function countOf(core: Core, p: string, type: string): Promise<number> {
  const filter = { t: everyTerm(p), ...(core.deployment.sharded ? { p } : {}) };
  const all = resources(core, type);
  try {
    return await all.countDocuments(filter, { hint: termIndex(core.deployment) });
  } catch (error) {
    if (!isCode(error, badHint)) throw error;
    return all.countDocuments(filter);
  }
}

/** The index that a hint names is not there (yet). */
const badHint = 2;
