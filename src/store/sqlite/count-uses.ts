import { visitIndexes } from '../plan/clause.ts';
import type { Core } from './core.ts';
import type { TypeIndex } from './dictionary.ts';
import type { Clause } from './lower.ts';
import type { Key } from './order.ts';

/** Counts the indexes of a search; of a count those of its clause alone. */
export function countUses(
  { options: { used } }: Core,
  { type, codes }: TypeIndex,
  clause: Clause,
  keys: readonly Key[],
): void {
  if (used === undefined) return;
  visitIndexes(clause, p => used(type, codes.get(p) ?? '', 'search'));
  for (const { p } of keys) if (p !== 0) used(type, codes.get(p) ?? '', 'sort');
}
