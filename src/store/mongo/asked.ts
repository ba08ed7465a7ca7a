import type { ResourceType } from '../../model/model.ts';
import type { Query, Sort } from '../../search/ast.ts';
import { parametersOf, parametersOfSort } from '../../search/walk.ts';
import { IndexPending } from '../errors.ts';
import { type Clause, isNone, partsOf } from './clause.ts';
import { lower } from './lower.ts';
import type { Place } from './plan.ts';
import { shardClauses } from './shard.ts';
import { usePairs } from './use-pairs.ts';

/**
 * The clauses of a query, all of which must hold; undefined where nothing can match. Throws `IndexPending` where an index that
 * the query or the sort needs is not complete.
 */
export async function askedOf(
  place: Place,
  query: Query,
  sort: readonly Sort[] = [],
): Promise<readonly Clause[] | undefined> {
  const { core, type, p } = place;
  const ready = await core.registry.ready(p, type);
  requireReady(type, query, sort, ready);
  const clause = lower(query, type, p);
  return isNone(clause) ? undefined : [...partsOf(usePairs(clause, type, p, ready)), ...shardClauses(place, clause)];
}

function requireReady(type: ResourceType, query: Query, sort: readonly Sort[], ready: ReadonlySet<string>): void {
  const pending = [...parametersOf(query), ...parametersOfSort(type, sort)].find(({ code }) => !ready.has(code));
  if (pending !== undefined) throw new IndexPending(type.name, pending.code);
}
