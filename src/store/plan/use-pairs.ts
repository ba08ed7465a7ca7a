import { isPairedOwner, isPairedToken, pairTerm } from '../terms.ts';
import { all, type Clause, type TermsClause } from './clause.ts';
import type { PairIndex } from './indexes.ts';

/**
 * Replaces "this patient" and "this code" by the pair of both, which implies the owner. `pairs`: those that are
 * complete.
 */
export function usePairs<I>(clause: Clause<I>, pairs: () => readonly PairIndex<I>[]): Clause<I> {
  if (clause.kind !== 'and' || !hasTwoTerms(clause.of)) return clause;
  const parts = [...clause.of];
  const implied = new Set<Clause<I>>();
  for (const pair of pairs()) {
    const owner = termsOf(parts, pair.owner);
    if (owner === undefined || !owner.values.every(isPairedOwner)) continue;
    for (const [at, token] of parts.entries()) {
      if (!isOf(token, pair.token) || !token.values.every(isPairedToken)) continue;
      if (owner.values.length * token.values.length > mostPairs) continue;
      const values = owner.values.flatMap(one => token.values.map(other => pairTerm(one, other)));
      parts[at] = { kind: 'terms', index: pair.index, values };
      implied.add(owner);
    }
  }
  const of = parts.filter(part => !implied.has(part));
  return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
}

const mostPairs = 16;

function hasTwoTerms<I>(clauses: readonly Clause<I>[]): boolean {
  let count = 0;
  for (const { kind } of clauses) if (kind === 'terms') count += 1;
  return count > 1;
}

/** The first clause of terms of an index. */
function termsOf<I>(clauses: readonly Clause<I>[], index: I): TermsClause<I> | undefined {
  for (const clause of clauses) if (isOf(clause, index)) return clause;
  return undefined;
}

function isOf<I>(clause: Clause<I>, index: I): clause is TermsClause<I> {
  return clause.kind === 'terms' && clause.index === index;
}
