import type { Query } from '../../search/ast.ts';
import { isNone, partsOf } from '../plan/clause.ts';
import { lower } from '../plan/lower.ts';
import { usePairs } from '../plan/use-pairs.ts';
import { indexesOf, type MongoIndexes } from './lower.ts';
import type { ResolvedQuery, Place } from './plan.ts';
import { shardFilters } from './shard.ts';

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
