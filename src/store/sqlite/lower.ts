import type { Query } from '../../search/ast.ts';
import { afterPrefix } from '../keys/interval.ts';
import { idTerm } from '../keys/terms.ts';
import type * as plan from '../plan/clause.ts';
import { lower as lowerQuery } from '../plan/lower.ts';
import { usePairs } from '../plan/simplify.ts';
import type { TypeIndex } from './dictionary.ts';
import type { Database } from './open.ts';
import type { After, Key } from './order.ts';

/** Lists the terms of an index with a prefix, one for each type of a reference's id. */
export type FindTerms = (p: number, prefix: string) => readonly string[];

/** Resolves a query to the indexes of a type. Throws `IndexPending` if an index that it needs is not complete. */
export function lower(query: Query, index: TypeIndex, findTerms: FindTerms): Clause {
  const clause = lowerQuery(query, {
    ...index.planned.params,
    termsOfId: (p, id) => findTerms(p, idTerm(id, '')),
    marksMissing: true,
    hasAbsolute: p => index.absolute.has(p),
  });
  return usePairs(clause, () => index.planned.pairs);
}

/** Clauses over the numbers of indexes: plain data, which can be sent to a reader worker. */
export type Clause = plan.Clause<number>;
export type ValueClause = plan.ValueClause<number>;
export type RangeClause = plan.RangeClause<number>;

/** A resolved search: plain data, which can be sent to a reader worker. */
export interface LoweredSearch {
  readonly t: number;
  readonly clause: Clause;
  readonly keys: readonly Key[];
  readonly limit: number;
  readonly after: After | undefined;
}

/**
 * Finds the terms of an index with a prefix by leaping from one to the next: one step per term, however often it
 * occurs.
 */
export function referenceTermsOf(database: Database): FindTerms {
  return (p, prefix) => {
    const found: string[] = [];
    const end = afterPrefix(prefix) ?? '';
    let row = database.get('SELECT v FROM terms WHERE p = ? AND v >= ? AND v < ? ORDER BY v LIMIT 1', [p, prefix, end]);
    while (row !== undefined) {
      const term = String(row[0]);
      found.push(term);
      row = database.get('SELECT v FROM terms WHERE p = ? AND v > ? AND v < ? ORDER BY v LIMIT 1', [p, term, end]);
    }
    return found;
  };
}
