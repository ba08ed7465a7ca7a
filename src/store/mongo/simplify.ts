import type { ResourceType } from '../../model/model.ts';
import { everything, intersect } from '../interval.ts';
import { isPaired, pairTerm } from '../terms.ts';
import { all, type Clause, isNone, none, partsOf, type RangeClause, type TermsClause } from './clause.ts';
import { isOfAnyType, pairsOf, termsOf } from './names.ts';

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

/** "This patient" and "this code" together are the pair, where it is `ready`; the owner is then said by the pair. */
export function usePairs(clause: Clause, type: ResourceType, p: string, ready: ReadonlySet<string>): Clause {
  if (clause.kind !== 'and') return clause;
  const parts = [...clause.of];
  const implied = new Set<Clause>();
  for (const { code, owner, token } of type.pairs) {
    const owners = parts.find(part => isOf(part, owner.code));
    if (!ready.has(code) || owners === undefined) continue;
    for (const [at, tokens] of parts.entries()) {
      if (!isOf(tokens, token.code)) continue;
      const [ofOwner, ofToken] = [raw(owners, p), raw(tokens, p)];
      if (!ofToken.every(isPaired) || ofOwner.some(isOfAnyType) || ofOwner.length * ofToken.length > mostPairs)
        continue;
      const start = pairsOf(p, owner.code, token.code);
      const terms = ofOwner.flatMap(one => ofToken.map(other => start + pairTerm(one, other)));
      parts[at] = { kind: 'terms', code, terms };
      implied.add(owners);
    }
  }
  const of = parts.filter(part => !implied.has(part));
  return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
}

const mostPairs = 16;

function isOf(clause: Clause, code: string): clause is TermsClause & { readonly code: string } {
  return clause.kind === 'terms' && clause.code === code;
}

/** The terms as terms.ts has them. */
function raw({ code, terms }: TermsClause & { readonly code: string }, p: string): readonly string[] {
  const { length } = termsOf(p, code);
  return terms.map(term => term.slice(length));
}
