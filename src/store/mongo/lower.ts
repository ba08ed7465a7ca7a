import type { Pair, ResourceType, SearchParam } from '../../model/model.ts';
import { anyTypeTerm, pairTerm } from '../keys/terms.ts';
import type * as plan from '../plan/clause.ts';
import type { Indexes, PairIndex, ParamIndex } from '../plan/indexes.ts';
import { createdOrder } from '../port/indexes.ts';
import { intervalKey, pairsOf, termsOf } from './names.ts';

/** The position of the entries of a parameter, of a pair, or of a component of a composite in documents. */
export interface Index {
  /** The code of the parameter or pair. */
  readonly code: string;
  /** The beginning of its terms and strings. */
  readonly start: string;
  /** The beginning of the keys of its intervals: of narrow ones and of wide ones. */
  readonly keys: { readonly narrow: string; readonly wide: string };
  /** The field of its intervals. */
  readonly intervals: 'd' | 'n';
  /** Tuples are found by their second component alone, since the first one has no terms. */
  readonly noLead: boolean;
  /** References have a term for their id alone. */
  readonly anyType: boolean;
}

/** The indexes of a type in a partition; each has one reference, by which clauses of one index are recognised. */
export interface MongoIndexes extends Indexes<Index> {
  /** Pairs with a complete index. */
  pairs(): readonly PairIndex<Index>[];
  /** All documents have the time of their creation, which is the default order of a type without a sort date. */
  readonly hasCreated: boolean;
}

/** `p` is the key of the partition; `ready` has the codes of parameters and pairs with a complete index. */
export function indexesOf(type: ResourceType, p: string, ready: ReadonlySet<string>): MongoIndexes {
  const known = new Map<string, ParamIndex<Index>>();
  const find = (code: string): ParamIndex<Index> | undefined => {
    const param = type.indexed.get(code);
    if (param === undefined) return undefined;
    const found = known.get(code) ?? paramIndex(param, p, ready.has(code));
    known.set(code, found);
    return found;
  };
  return {
    type,
    find,
    hasCreated: ready.has(createdOrder),
    pairs: () => type.pairs.filter(({ code }) => ready.has(code)).flatMap(pair => pairIndex(pair, p, find)),
    termsOfId: (index, id) => (index.anyType ? [anyTypeTerm(id)] : undefined),
    // Most resources lack most parameters: a term for each would be the largest part of the index.
    marksMissing: false,
    // An index of all terms finds two terms as fast as one.
    hasAbsolute: () => true,
  };
}

/** The part of the index of a composite whose first component has this term. */
export function underLead({ code, start, keys }: Index, lead: string, second: Index): Index {
  const under = pairTerm(lead, '');
  return { ...second, code, start: start + under, keys: { narrow: keys.narrow + under, wide: keys.wide + under } };
}

function paramIndex(param: SearchParam, p: string, ready: boolean): ParamIndex<Index> {
  const { code } = param;
  const keys = { narrow: intervalKey(p, code, false), wide: intervalKey(p, code, true) };
  return {
    param,
    ready,
    index: {
      code,
      start: termsOf(p, code),
      keys,
      intervals: intervalsOf(param),
      noLead: param.special?.kind === 'near',
      anyType: param.targets.length === 0,
    },
    // A tuple has the values of its components unchanged.
    components: param.components.map(({ param: of }) => ({
      code,
      start: '',
      keys: { narrow: '', wide: '' },
      intervals: intervalsOf(of),
      noLead: false,
      anyType: true,
    })),
  };
}

function intervalsOf({ type }: SearchParam): 'd' | 'n' {
  return type === 'date' ? 'd' : 'n';
}

function pairIndex(
  { code, owner, token }: Pair,
  p: string,
  find: (code: string) => ParamIndex<Index> | undefined,
): readonly PairIndex<Index>[] {
  const [ofOwner, ofToken] = [find(owner.code)?.index, find(token.code)?.index];
  if (ofOwner === undefined || ofToken === undefined) return [];
  const index = { ...ofToken, code, start: pairsOf(p, owner.code, token.code) };
  return [{ index, owner: ofOwner, token: ofToken }];
}

/** Clauses over the fields of documents. */
export type Clause = plan.Clause<Index>;
export type ValueClause = plan.ValueClause<Index>;
export type TupleClause = plan.TupleClause<Index>;
export type RangeClause = plan.RangeClause<Index>;
