import type { Core } from './core.ts';
import type { FoundRow } from './found.ts';
import type { LoweredSearch } from './lower.ts';
import { pageWithin } from './search.ts';

/**
 * Finds a page and one more, on the event loop if the work is bounded, else in a reader, with a promise. Throws
 * `DeadlinePassed`.
 */
export function find(core: Core, search: LoweredSearch): readonly FoundRow[] | Promise<readonly FoundRow[]> {
  return pageWithin(core.database, search, core.budgets.eventLoop) ?? findInReader(core, search);
}

async function findInReader({ readers, budgets }: Core, search: LoweredSearch): Promise<readonly FoundRow[]> {
  const answer = await readers.ask({ kind: 'page', search, budget: budgets.reader });
  return answer.kind === 'page' ? answer.rows : [];
}
