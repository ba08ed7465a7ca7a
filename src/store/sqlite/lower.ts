import type { Query } from '../../search/ast.ts';
import type { PairIndex, ParamIndexes } from '../plan/indexes.ts';
import { lower as lowerQuery } from '../plan/lower.ts';
import { usePairs } from '../plan/use-pairs.ts';
import { idTerm } from '../terms.ts';
import type { Clause } from './clause.ts';
import type { TypeIndex } from './dictionary.ts';

/** Lists the terms of an index with a prefix, one for each type of a reference's id. */
export type FindTerms = (p: number, prefix: string) => readonly string[];

/** Resolves a query to the indexes of a type. Throws `IndexPending` if an index that it needs is not complete. */
export function lower(query: Query, index: TypeIndex, findTerms: FindTerms): Clause {
  const clause = lowerQuery(query, {
    ...paramIndexes(index),
    termsOfId: (p, id) => findTerms(p, idTerm(id, '')),
    marksMissing: true,
    hasAbsolute: p => index.absolute.has(p),
  });
  return usePairs(clause, () => pairsOf(index));
}

/** The indexes of parameters for the plan: by number. */
export function paramIndexes({ type, params }: TypeIndex): ParamIndexes<number> {
  return {
    type,
    find(code) {
      const found = params.find(param => param.code === code);
      if (found === undefined) return undefined;
      const { p, param, components } = found;
      const ready = found.ready && components.every(part => part.ready);
      return { param, index: p, ready, components: components.map(part => part.p) };
    },
  };
}

function pairsOf({ pairs, params }: TypeIndex): readonly PairIndex<number>[] {
  const numberOf = (code: string): number => params.find(param => param.code === code)?.p ?? 0;
  return pairs
    .filter(pair => pair.ready)
    .map(pair => ({ index: pair.p, owner: numberOf(pair.owner), token: numberOf(pair.token) }));
}
