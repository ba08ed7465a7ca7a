import { everything, intersect } from '../interval.ts';
import { all, type Clause, isNone, none, partsOf, type RangeClause } from './clause.ts';

/** Nested `and` and `or` become flat, double `not` goes, alternatives of terms become one clause, whatever their parameters. */
export function simplify(clause: Clause): Clause {
  switch (clause.kind) {
    case 'not': {
      const of = simplify(clause.of);
      if (isNone(of)) return all;
      if (of.kind === 'and' && of.of.length === 0) return none;
      return of.kind === 'not' ? of.of : { kind: 'not', of };
    }
    case 'and': {
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
    case 'terms':
    case 'updated':
    case 'string':
    case 'range':
    case 'check':
      return clause;
    default:
      return clause satisfies never;
  }
}

const isAll = (clause: Clause): boolean => clause.kind === 'and' && clause.of.length === 0;

/** All terms are in one array: any of them is one condition. */
function mergeTerms(clauses: readonly Clause[]): readonly Clause[] {
  const terms = clauses.filter(clause => clause.kind === 'terms');
  const [first, ...others] = terms;
  if (first === undefined || others.length === 0) return clauses;
  const code = others.every(other => other.code === first.code) ? first.code : undefined;
  const merged: Clause = { kind: 'terms', code, terms: [...new Set(terms.flatMap(one => one.terms))] };
  return [merged, ...clauses.filter(clause => clause.kind !== 'terms')];
}

/** Two ranges of a parameter with one value at most must hold on the same entry. */
function mergeRanges(clauses: readonly Clause[]): readonly Clause[] {
  const merged = new Map<string, RangeClause>();
  const others: Clause[] = [];
  for (const clause of clauses) {
    if (clause.kind !== 'range' || !clause.single) others.push(clause);
    else {
      const known = merged.get(clause.code) ?? { low: everything, high: everything };
      const [low, high] = [intersect(known.low, clause.low), intersect(known.high, clause.high)];
      merged.set(clause.code, { ...clause, low, high });
    }
  }
  return [...merged.values(), ...others];
}
