import type { Filter } from 'mongodb';
import type { Query } from '../../search/ast.ts';
import { isOfAnyType } from '../keys/terms.ts';
import { isNone, partsOf } from '../plan/clause.ts';
import { lower } from '../plan/lower.ts';
import { usePairs } from '../plan/simplify.ts';
import { bucketOf, ownerOf } from './bucket.ts';
import type { Clause } from './clause.ts';
import { anyOf } from './conditions.ts';
import type { ResourceDocument } from './layout.ts';
import { indexesOf, type MongoIndexes } from './lower.ts';
import type { Place, ResolvedQuery } from './plan.ts';

/** The indexes of a type, from the registry. */
export async function readIndexes({ core, type, p }: Place): Promise<MongoIndexes> {
  return indexesOf(type, p, await core.registry.ready(p, type));
}

/**
 * Resolves a query; undefined if nothing can match. Throws `IndexPending` if an index that it needs is not complete.
 */
export function resolveQuery(place: Place, query: Query, indexes: MongoIndexes): ResolvedQuery | undefined {
  const clause = lower(query, indexes);
  if (isNone(clause)) return undefined;
  return { clauses: partsOf(usePairs(clause, () => indexes.pairs())), shards: shardFilters(place, clause) };
}

/**
 * The shard conditions of a search on a sharded cluster: the partition, so that only its servers are queried, and the
 * buckets of the owners if it names them, which is one server then. None if the cluster is not sharded.
 */
function shardFilters({ core, type, p }: Place, clause: Clause): readonly Filter<ResourceDocument>[] {
  if (!core.deployment.sharded) return [];
  const owner = ownerOf(type);
  const named = owner && partsOf(clause).find(part => part.kind === 'terms' && part.index.code === owner.code);
  if (named?.kind !== 'terms' || named.values.some(isOfAnyType)) return [{ p }];
  const buckets = new Set(named.values.map(one => bucketOf(core, p, one)));
  return [{ p, b: anyOf([...buckets]) }];
}
