import type { ResourceType } from '../../model/model.ts';
import { isPairedToken, pairTerm } from '../terms.ts';
import { all, type Clause, type TermsClause } from './clause.ts';
import { isOfAnyType, pairsOf, termsOf } from './names.ts';

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
      if (!ofToken.every(isPairedToken) || ofOwner.some(isOfAnyType) || ofOwner.length * ofToken.length > mostPairs)
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
