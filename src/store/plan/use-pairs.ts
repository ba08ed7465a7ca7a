import { isPairedOwner, isPairedToken, pairTerm } from '../keys/terms.ts';
import { all, type Clause } from './clause.ts';
import type { PairIndex } from './indexes.ts';

/**
 * Replaces "this patient" and "this code" by the pair of both, which implies the owner. `pairs`: those that are
 * complete.
 */
export function usePairs<I>(clause: Clause<I>, pairs: () => readonly PairIndex<I>[]): Clause<I> {
  if (clause.kind !== 'and' || !hasTwoTerms(clause.of)) return clause;
  const parts = [...clause.of];
  const implied: Clause<I>[] = [];
  for (const { index, owner, token } of pairs()) {
    for (let at = placeOf(parts, token, 0); at !== -1; at = placeOf(parts, token, at + 1)) {
      const by = parts[placeOf(parts, owner, 0)];
      const values = by && pairValues(by, parts[at]);
      if (by === undefined || values === undefined) continue;
      parts[at] = { kind: 'terms', index, values };
      implied.push(by);
    }
  }
  if (implied.length === 0) return clause;
  const of = parts.filter(part => !implied.includes(part));
  return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
}

const mostPairs = 16;

/** The terms of all pairs; undefined if they are too many, or such pairs are not kept. */
function pairValues(owner: Clause<unknown>, token: Clause<unknown> | undefined): readonly string[] | undefined {
  if (owner.kind !== 'terms' || token?.kind !== 'terms') return undefined;
  if (owner.values.length * token.values.length > mostPairs) return undefined;
  if (!owner.values.every(isPairedOwner) || !token.values.every(isPairedToken)) return undefined;
  const values: string[] = [];
  for (const one of owner.values) for (const other of token.values) values.push(pairTerm(one, other));
  return values;
}

function hasTwoTerms(clauses: readonly Clause<unknown>[]): boolean {
  let count = 0;
  for (const { kind } of clauses) if (kind === 'terms') count += 1;
  return count > 1;
}

/** Where the next clause of terms of an index is; -1 if there is none. */
function placeOf<I>(clauses: readonly Clause<I>[], index: I, from: number): number {
  for (let at = from; at < clauses.length; at += 1) {
    const clause = clauses[at];
    if (clause?.kind === 'terms' && clause.index === index) return at;
  }
  return -1;
}
