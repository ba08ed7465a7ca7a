import { everything, intersect } from '../keys/interval.ts';
import { isPairedOwner, isPairedToken, pairTerm } from '../keys/terms.ts';
import { all, type Clause, isAll, isNone, none, partsOf, type RangeClause, type TermsClause } from './clause.ts';
import type { PairIndex } from './indexes.ts';

/**
 * Returns a clause with the same meaning and less to do: nested `and` and `or` become flat, a double `not` is removed,
 * what matches all or none is left out, terms of one index that are alternatives become one clause, and so do the
 * ranges of a value that a resource has once.
 */
export function simplify<I>(clause: Clause<I>): Clause<I> {
  switch (clause.kind) {
    case 'not': {
      const of = simplify(clause.of);
      if (isNone(of)) return all;
      if (isAll(of)) return none;
      return of.kind === 'not' ? of.of : { ...clause, of };
    }
    case 'and': {
      if (areApart(clause.of)) return clause; // most searches
      const of = mergeRanges(clause.of.map(simplify).flatMap(partsOf));
      if (of.some(isNone)) return none;
      return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
    }
    case 'or': {
      const of = mergeTerms(clause.of.map(simplify).flatMap(part => (part.kind === 'or' ? part.of : [part])));
      if (of.some(isAll)) return all;
      return of.length === 1 ? (of[0] ?? none) : { kind: 'or', of };
    }
    case 'ids':
      return clause.ids.length === 0 ? none : clause;
    case 'tuple':
      return clause.of.some(hasNoTerms) ? none : clause;
    case 'terms':
      return hasNoTerms(clause) ? none : clause;
    case 'updated':
    case 'prefix':
    case 'string':
    case 'words':
    case 'range':
      return clause;
    default:
      return clause satisfies never;
  }
}

/** Whether nothing in an `and` of several can be simplified: values, at most one of them a range. */
function areApart(clauses: readonly Clause<unknown>[]): boolean {
  let ranges = 0;
  for (const clause of clauses) {
    if (clause.kind === 'range') ranges += 1;
    else if (clause.kind !== 'string' && clause.kind !== 'prefix' && clause.kind !== 'terms') return false;
    else if (hasNoTerms(clause)) return false;
  }
  return ranges < 2 && clauses.length > 1;
}

/** Such as an id of any type to which nothing refers. */
function hasNoTerms(clause: Clause<unknown>): boolean {
  return clause.kind === 'terms' && clause.values.length === 0;
}

function mergeTerms<I>(clauses: readonly Clause<I>[]): readonly Clause<I>[] {
  const merged = new Map<I, TermsClause<I>>();
  const others: Clause<I>[] = [];
  for (const clause of clauses) {
    if (clause.kind !== 'terms') others.push(clause);
    else {
      const known = merged.get(clause.index)?.values ?? [];
      merged.set(clause.index, { ...clause, values: [...new Set([...known, ...clause.values])] });
    }
  }
  return [...merged.values(), ...others];
}

/** Two ranges of a parameter with one value at most must match the same entry. */
function mergeRanges<I>(clauses: readonly Clause<I>[]): readonly Clause<I>[] {
  const merged = new Map<I, RangeClause<I>>();
  const others: Clause<I>[] = [];
  for (const clause of clauses) {
    if (clause.kind !== 'range' || !clause.single) others.push(clause);
    else {
      const known = merged.get(clause.index) ?? { low: everything, high: everything };
      const [low, high] = [intersect(known.low, clause.low), intersect(known.high, clause.high)];
      merged.set(clause.index, { ...clause, low, high });
    }
  }
  return [...merged.values(), ...others];
}

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
