import { visitIndexes } from '../plan/clause.ts';
import type { Key } from './order.ts';
import type { Place, ResolvedQuery } from './plan.ts';

/** Counts the indexes of a search; of a count those of its clauses alone. */
export function countUses({ core, type }: Place, { clauses }: ResolvedQuery, keys: readonly Key[]): void {
  const { used } = core.options;
  if (used === undefined) return;
  for (const clause of clauses) visitIndexes(clause, ({ code }) => used(type, code, 'search'));
  for (const key of keys) if (key.by === 'field' && key.index !== undefined) used(type, key.index.code, 'sort');
}
