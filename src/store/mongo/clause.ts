import type * as plan from '../plan/clause.ts';
import type { Index } from './lower.ts';

/** Clauses over the fields of documents. */
export type Clause = plan.Clause<Index>;
export type ValueClause = plan.ValueClause<Index>;
export type TupleClause = plan.TupleClause<Index>;
export type RangeClause = plan.RangeClause<Index>;
