import { foldString } from '../../indexing/normalize.ts';
import type { Query, Test } from '../../search/ast.ts';
import type { SearchParam } from '../../model/model.ts';
import { IndexPending } from '../errors.ts';
import { endsOf, everything, instantsOf, intersect } from '../interval.ts';
import { all, type Clause, none, type RangeClause, type TermsClause, type ValueClause } from './clause.ts';
import type { Index, ParamIndex, TypeIndex } from './dictionary.ts';
import { dateWidth } from './rows.ts';
import { askedTokens, askedUnit, askedUrl, idTerm, isPaired, missing, pairTerm, urlTerm } from '../terms.ts';

/** What lowering needs of the file: the terms of an index that begin so, one for each type of a reference's id. */
export type FindTerms = (p: number, prefix: string) => readonly string[];

/**
 * Resolves the parameters of a query to the indexes of a type and its tests to terms and intervals, and uses pairs where
 * an owner and a token are both asked for. Throws `IndexPending` where an index is not complete.
 */
export function lower(query: Query, index: TypeIndex, findTerms: FindTerms): Clause {
  const context: Context = { index, findTerms };
  return usePairs(simplify(lowerQuery(query, context)), index);
}

interface Context {
  readonly index: TypeIndex;
  readonly findTerms: FindTerms;
}

function lowerQuery(query: Query, context: Context): Clause {
  switch (query.kind) {
    case 'all':
      return all;
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map(part => lowerQuery(part, context)) };
    case 'not':
      return { kind: 'not', of: lowerQuery(query.of, context) };
    case 'id':
      return { kind: 'ids', ids: [...new Set(query.anyOf)] };
    case 'lastUpdated':
      return { kind: 'updated', at: instantsOf(query.bounds) };
    case 'present':
      return { kind: 'not', of: lacks(context.index, query.param) };
    case 'param':
      return lowerTest(query.test, ready(context.index, query.param), context);
    default:
      return query satisfies never;
  }
}

function lacks(index: TypeIndex, param: SearchParam): Clause {
  return { kind: 'terms', p: ready(index, param).p, values: [missing], items: false };
}

/** The index of a parameter. Throws Error for one that is not kept, `IndexPending` for one that is not complete. */
export function ready(index: TypeIndex, { code }: SearchParam): ParamIndex {
  const found = index.params.find(param => param.code === code);
  if (found === undefined) throw new Error(`${index.type.name} keeps no entries of \`${code}\``);
  if (!found.ready || found.components.some(part => !part.ready)) throw new IndexPending(index.type.name, code);
  return found;
}

function lowerTest(test: Test, param: ParamIndex, context: Context): Clause {
  if (test.kind === 'token' && test.system === undefined && test.code === undefined)
    return { kind: 'not', of: lacks(context.index, param.param) };
  if (test.kind !== 'composite') return lowerValue(test, param, param.param, false, context);
  return {
    kind: 'tuple',
    of: test.of.map((part, at) => {
      const component = param.components[at];
      const { param: of } = param.param.components[at] ?? {};
      if (component === undefined || of === undefined) throw new Error(`\`${param.code}\` has no component ${at + 1}`);
      return lowerValue(part, component, of, true, context);
    }),
  };
}

function lowerValue(test: Test, { p }: Index, param: SearchParam, items: boolean, context: Context): ValueClause {
  const terms = (values: readonly string[]): TermsClause => ({
    kind: 'terms',
    p,
    values: values.length < 2 ? values : [...new Set(values)],
    items,
  });
  switch (test.kind) {
    case 'token':
      return terms(askedTokens(test));
    case 'reference':
      if (test.id !== undefined)
        return terms(
          test.type === undefined ? context.findTerms(p, idTerm(test.id, '')) : [idTerm(test.id, test.type)],
        );
      return terms([askedUrl(test)]);
    case 'uri':
      return terms([urlTerm(test.uri)]);
    case 'string':
      return { kind: 'string', p, how: test.how, text: test.text };
    case 'range':
      return {
        kind: 'range',
        p,
        key: '',
        prefix: false,
        ...endsOf(test.bounds),
        width: param.type === 'date' ? dateWidth : 0,
        single: param.single && !items,
      };
    case 'quantity':
      return { kind: 'range', p, ...askedUnit(test), ...endsOf(test.bounds), width: 0, single: false };
    case 'composite':
      throw new Error('A composite holds no composite');
    default:
      return test satisfies never;
  }
}

/** Nested `and` and `or` become flat, double `not` goes, alternatives of one index become one clause. */
function simplify(clause: Clause): Clause {
  switch (clause.kind) {
    case 'not': {
      const of = simplify(clause.of);
      if (isNone(of)) return all;
      if (of.kind === 'and' && of.of.length === 0) return none;
      return of.kind === 'not' ? of.of : { kind: 'not', of };
    }
    case 'and': {
      const of = mergeRanges(clause.of.map(simplify).flatMap(part => (part.kind === 'and' ? part.of : [part])));
      // SQLite finds no plan for an index that it must use beside a condition that is never true.
      if (of.some(isNone)) return none;
      return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
    }
    case 'or': {
      const of = mergeTerms(clause.of.map(simplify).flatMap(part => (part.kind === 'or' ? part.of : [part])));
      return of.length === 1 ? (of[0] ?? none) : { kind: 'or', of };
    }
    case 'tuple':
      return clause.of.some(hasNoTerms) ? none : clause;
    case 'terms':
      return hasNoTerms(clause) ? none : clause;
    case 'ids':
    case 'updated':
    case 'string':
    case 'range':
      return clause;
    default:
      return clause satisfies never;
  }
}

const isNone = (clause: Clause): boolean => clause.kind === 'or' && clause.of.length === 0;
/** Such as an id of any type that no reference has. */
const hasNoTerms = (clause: Clause): boolean => clause.kind === 'terms' && clause.values.length === 0;

function mergeTerms(clauses: readonly Clause[]): readonly Clause[] {
  const merged = new Map<number, TermsClause>();
  const others: Clause[] = [];
  for (const clause of clauses) {
    if (clause.kind !== 'terms') others.push(clause);
    else {
      const known = merged.get(clause.p)?.values ?? [];
      merged.set(clause.p, { ...clause, values: [...new Set([...known, ...clause.values])] });
    }
  }
  return [...merged.values(), ...others];
}

/** Two ranges of a parameter with one value at most must hold on the same entry. */
function mergeRanges(clauses: readonly Clause[]): readonly Clause[] {
  const merged = new Map<number, RangeClause>();
  const others: Clause[] = [];
  for (const clause of clauses) {
    if (clause.kind !== 'range' || !clause.single) others.push(clause);
    else {
      const known = merged.get(clause.p) ?? { low: everything, high: everything };
      const [low, high] = [intersect(known.low, clause.low), intersect(known.high, clause.high)];
      merged.set(clause.p, { ...clause, low, high });
    }
  }
  return [...merged.values(), ...others];
}

/** "This patient" and "this code" together are the pair; the owner is then said by the pair. */
function usePairs(clause: Clause, index: TypeIndex): Clause {
  if (clause.kind !== 'and') return clause;
  const parts = [...clause.of];
  const implied = new Set<Clause>();
  for (const pair of index.pairs.filter(one => one.ready)) {
    const owner = parts.find(part => isTerms(part, codeOf(index, pair.owner)));
    if (owner?.kind !== 'terms' || owner.values.includes(missing)) continue;
    for (const [at, token] of parts.entries()) {
      if (!isTerms(token, codeOf(index, pair.token)) || !token.values.every(isPaired)) continue;
      if (owner.values.length * token.values.length > mostPairs) continue;
      const values = owner.values.flatMap(one => token.values.map(other => pairTerm(one, other)));
      parts[at] = { kind: 'terms', p: pair.p, values, items: false };
      implied.add(owner);
    }
  }
  const of = parts.filter(part => !implied.has(part));
  return of.length === 1 ? (of[0] ?? all) : { kind: 'and', of };
}

const mostPairs = 16;

function codeOf(index: TypeIndex, code: string): number {
  return index.params.find(param => param.code === code)?.p ?? 0;
}

function isTerms(clause: Clause, p: number): clause is TermsClause {
  return clause.kind === 'terms' && p !== 0 && clause.p === p;
}

/** The text of an exact search, folded as the index is ordered. */
export function foldedText(text: string): string {
  return foldString(text);
}
