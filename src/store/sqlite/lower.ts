import type { Query } from '../../search/ast.ts';
import { lower as lowerQuery } from '../plan/lower.ts';
import { usePairs } from '../plan/simplify.ts';
import { idTerm } from '../keys/terms.ts';
import type { Clause } from './clause.ts';
import type { TypeIndex } from './dictionary.ts';

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
