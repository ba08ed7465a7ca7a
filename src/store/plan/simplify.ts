import { everything, intersect } from '../keys/interval.ts';
import { all, type Clause, isAll, isNone, none, partsOf, type RangeClause, type TermsClause } from './clause.ts';

/**
 * The same meaning with less to do: nested `and` and `or` become flat, a double `not` is removed, what matches all or
 * none is left out, terms of one index that are alternatives become one clause, and so do the ranges of a value that a
 * resource has once.
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
