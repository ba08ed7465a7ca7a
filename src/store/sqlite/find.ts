import { visitIndexes } from '../plan/clause.ts';
import type { Core } from './core.ts';
import type { FoundRow } from './found.ts';
import type { Clause, LoweredSearch } from './lower.ts';
import { findPage } from './search.ts';
import type { TypeIndex } from './dictionary.ts';
import type { Key } from './order.ts';

/**
 * Finds a page and one more, on the event loop if the work is bounded, else in a reader, with a promise. Throws
 * `DeadlinePassed`.
 */
export function find(core: Core, search: LoweredSearch): readonly FoundRow[] | Promise<readonly FoundRow[]> {
  return findPage(core.database, search, core.budgets.eventLoop) ?? findInReader(core, search);
}

async function findInReader({ readers, budgets }: Core, search: LoweredSearch): Promise<readonly FoundRow[]> {
  const answer = await readers.ask({ kind: 'page', search, budget: budgets.reader });
  return answer.kind === 'page' ? answer.rows : [];
}

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
