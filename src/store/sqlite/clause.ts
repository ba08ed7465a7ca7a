import type * as plan from '../plan/clause.ts';

/** Clauses over the numbers of indexes: plain data, which can be sent to a reader worker. */
export type Clause = plan.Clause<number>;
export type ValueClause = plan.ValueClause<number>;
export type RangeClause = plan.RangeClause<number>;
