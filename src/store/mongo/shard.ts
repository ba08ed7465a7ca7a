import type { Filter } from 'mongodb';
import { partsOf } from '../plan/clause.ts';
import { isOfAnyType } from '../terms.ts';
import { bucketOf, ownerOf } from './bucket.ts';
import type { Clause } from './clause.ts';
import { anyOf } from './conditions.ts';
import type { ResourceDocument } from './layout.ts';
import type { Place } from './plan.ts';

/**
 * The shard conditions of a search on a sharded cluster: the partition, so that only its servers are queried, and the
 * buckets of the owners if it names them, which is one server then. None if the cluster is not sharded.
 */
export function shardFilters({ core, type, p }: Place, clause: Clause): readonly Filter<ResourceDocument>[] {
  if (!core.deployment.sharded) return [];
  const owner = ownerOf(type);
  const named = owner && partsOf(clause).find(part => part.kind === 'terms' && part.index.code === owner.code);
  if (named?.kind !== 'terms' || named.values.some(isOfAnyType)) return [{ p }];
  const buckets = new Set(named.values.map(one => bucketOf(core, p, one)));
  return [{ p, b: anyOf([...buckets]) }];
}
