import type * as plan from '../plan/clause.ts';

/** Clauses over the numbers of indexes: plain data, so that a reader worker can take them. */
export type Clause = plan.Clause<number>;
export type ValueClause = plan.ValueClause<number>;
export type RangeClause = plan.RangeClause<number>;
