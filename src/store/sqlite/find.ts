import type { Core } from './core.ts';
import type { FoundRow } from './found.ts';
import { findPage, type LoweredSearch } from './search.ts';

/** Finds a page and one more, on the event loop if the work is bounded, else in a reader. Throws `DeadlinePassed`. */
export async function find({ database, readers, budgets }: Core, search: LoweredSearch): Promise<readonly FoundRow[]> {
  const rows = findPage(database, search, budgets.eventLoop);
  if (rows !== undefined) return rows;
  const answer = await readers.ask({ kind: 'page', search, budget: budgets.reader });
  return answer.kind === 'page' ? answer.rows : [];
}
