import { valuesIn } from '../plan/clause.ts';
import type { Clause } from './lower.ts';

/** The allowed work: little on the event loop, and in a reader worker all within the deadline. */
export interface Budget {
  /** A clause with more candidates is not a small one. */
  readonly probe: number;
  /** Maximum number of candidates that a walk visits; undefined for all, with regular calls of `deadline()`. */
  readonly rows: number | undefined;
}

/** The budgets of the event loop and of a reader worker. */
export interface Budgets {
  readonly eventLoop: Budget;
  readonly reader: Budget;
}

/** A candidate costs as many look-ups as a query has values; a few are within the budget. */
export function budgetFor({ probe, rows }: Budget, clause: Clause): Budget {
  if (rows === undefined) return { probe, rows };
  const share = Math.min(1, usualValues / valuesIn(clause));
  return { probe: Math.floor(probe * share), rows: Math.ceil(rows * share) };
}

const usualValues = 6;

/** Whether making the statement alone, or its first row, would block the event loop. */
export function isLong(clause: Clause, { rows }: Budget): boolean {
  return rows !== undefined && (valuesIn(clause) > mostValues || hasWordPrefix(clause));
}

/** Whether it searches for the beginning of a word: FTS5 reads the lists of all such words before the first row. */
function hasWordPrefix(clause: Clause): boolean {
  if (clause.kind === 'words') return clause.phrases.some(({ isPrefix }) => isPrefix);
  if (clause.kind === 'not') return hasWordPrefix(clause.of);
  return (clause.kind === 'and' || clause.kind === 'or') && clause.of.some(hasWordPrefix);
}

const mostValues = 100;

export const usualBudgets: Budgets = {
  eventLoop: { probe: 2_000, rows: 2_000 },
  reader: { probe: 100_000, rows: undefined },
};
