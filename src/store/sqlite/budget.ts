import { valuesIn } from '../plan/values-in.ts';
import type { Clause } from './clause.ts';

/** How much work is allowed: on the event loop little, in a reader worker all that the deadline leaves. */
export interface Budget {
  /** A clause with more candidates than this is not a small one. */
  readonly probe: number;
  /** The most candidates that a walk looks at; undefined all, with `deadline()` called now and then. */
  readonly rows: number | undefined;
}

/** What the event loop does itself, and what a reader worker does. */
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

/** Whether making the statement alone would hold the event loop up. */
export function isLong(clause: Clause, { rows }: Budget): boolean {
  return rows !== undefined && valuesIn(clause) > mostValues;
}

const mostValues = 100;

export const usualBudgets: Budgets = {
  eventLoop: { probe: 2_000, rows: 2_000 },
  reader: { probe: 100_000, rows: undefined },
};
