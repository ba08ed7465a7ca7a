import { urlsAbove } from '../../fhir/uri-tree.ts';
import type { SearchParam } from '../../model/model.ts';
import { mayBeUnsearchable } from '../../model/search-parameter.ts';
import type { Bound, Query, Test } from '../../search/ast.ts';
import { linksOf } from '../../search/walk.ts';
import { dateWidth, endsOf, everything, instantsOf } from '../keys/interval.ts';
import {
  anyTypeTerm,
  anyUnit,
  askedTokens,
  askedUnit,
  askedUrl,
  idTerm,
  missing,
  otherTokens,
  unsearchable,
  urlTerm,
  versionedTerm,
} from '../keys/terms.ts';
import { all, type Clause, none, type RangeClause, type ValueClause } from './clause.ts';
import { type Indexes, type ParamIndex, readyIndex } from './indexes.ts';
import { simplify } from './simplify.ts';

/**
 * Resolves the parameters of a query to the indexes of a type and its tests to terms and intervals, simplified. Throws
 * `IndexPending` if an index that it needs is not complete.
 */
export function lower<I>(query: Query, indexes: Indexes<I>): Clause<I> {
  return simplify(lowerQuery(query, indexes));
}

function lowerQuery<I>(query: Query, indexes: Indexes<I>): Clause<I> {
  switch (query.kind) {
    case 'all':
      return all;
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map(part => lowerQuery(part, indexes)) };
    case 'not':
      return complement(query.of, indexes);
    case 'id':
      return { kind: 'ids', ids: [...new Set(query.anyOf)] };
    case 'lastUpdated':
      return { kind: 'updated', at: instantsOf(query.bounds) };
    case 'owner':
      return lowerQuery(linksOf(query), indexes);
    case 'present':
      return present(readyIndex(indexes, query.param), indexes);
    case 'param':
      return lowerTest(query.test, readyIndex(indexes, query.param), indexes);
    case 'entry':
    case 'chain':
    case 'inside':
    case 'has':
    case 'tree':
    case 'contained':
      throw new Error(`Stores do not support \`${query.kind}\``);
    default:
      return query satisfies never;
  }
}

/** The complement of a code that a resource has once at most: an index finds all others, and the missing ones. */
function complement<I>(query: Query, indexes: Indexes<I>): Clause<I> {
  const not: Clause<I> = { kind: 'not', of: lowerQuery(query, indexes) };
  if (!indexes.marksMissing || query.kind !== 'param' || !query.param.single) return not;
  const { param, test } = query;
  if (test.kind !== 'token' || test.code === undefined || !isOnlyCode(param)) return not;
  const { index } = readyIndex(indexes, param);
  const others = otherTokens([test]).map(range => ({ kind: 'prefix', index, ...range }) as const);
  return { ...not, instead: { kind: 'or', of: [terms(index, [missing]), ...others] } };
}

/** Whether each value of a parameter is one code. */
const isOnlyCode = ({ dataTypes, reads }: SearchParam): boolean =>
  reads === undefined && dataTypes.size === 1 && (dataTypes.has('code') || dataTypes.has('boolean'));

function lowerTest<I>(test: Test, found: ParamIndex<I>, indexes: Indexes<I>): Clause<I> {
  const { param, index, components } = found;
  if (isAnyToken(test)) return present(found, indexes);
  if (test.kind === 'uri' && test.tree === 'below') return below(test.uri, index);
  if (test.kind === 'uri' && test.tree === 'starts') return { kind: 'prefix', index, prefix: urlTerm(test.uri) };
  if (test.kind === 'reference' && test.below === true) return belowVersion(test, index);
  if (test.kind === 'otherCode')
    return { kind: 'or', of: otherTokens(test.of).map(range => ({ kind: 'prefix', index, ...range })) };
  if (test.kind === 'words') return { kind: 'words', index, phrases: test.phrases };
  if (test.kind !== 'composite') return lowerValue(test, index, param, param.single, indexes);
  return {
    kind: 'tuple',
    index,
    of: test.of.map((part, at) => {
      const component = components[at];
      const { param: of } = param.components[at] ?? {};
      if (component === undefined || of === undefined) throw new Error(`\`${param.code}\` has no component ${at + 1}`);
      return lowerValue(part, component, of, false, indexes);
    }),
  };
}

/** A URL, and all that continue it after a slash. */
function below<I>(url: string, index: I): Clause<I> {
  if (url.endsWith('/')) return { kind: 'prefix', index, prefix: urlTerm(url) };
  return { kind: 'or', of: [terms(index, [urlTerm(url)]), { kind: 'prefix', index, prefix: urlTerm(`${url}/`) }] };
}

/** A version of a canonical, and all that continue it after a dot. */
function belowVersion<I>({ url = '', version = '' }: Extract<Test, { kind: 'reference' }>, index: I): Clause<I> {
  const continued: Clause<I> = { kind: 'prefix', index, prefix: versionedTerm(url, `${version}.`) };
  return { kind: 'or', of: [terms(index, [versionedTerm(url, version)]), continued] };
}

function isAnyToken(test: Test): boolean {
  return test.kind === 'token' && test.system === undefined && test.code === undefined;
}

function lowerValue<I>(test: Test, index: I, param: SearchParam, single: boolean, indexes: Indexes<I>): ValueClause<I> {
  const width = param.type === 'date' ? dateWidth : 0;
  switch (test.kind) {
    case 'token':
      return isAnyToken(test) ? { kind: 'prefix', index, prefix: '' } : terms(index, askedTokens(test));
    case 'codes':
      return terms(
        index,
        test.codes.flatMap(({ system, codes }) => codes.flatMap(code => askedTokens({ system, code }))),
      );
    case 'reference':
      return lowerReference(test, index, indexes);
    case 'references':
      return terms(index, [
        ...test.ids.flatMap(id => placeTerms(test, id, index, indexes)),
        ...test.canonicals.map(({ url, version }) => versionedTerm(url, version)),
      ]);
    case 'uri':
      return terms(index, (test.tree === undefined ? [test.uri] : urlsAbove(test.uri)).map(urlTerm));
    case 'string':
      return { kind: 'string', index, how: test.how, text: test.text };
    case 'range':
      return range(index, noUnit, test.bounds, { width, single });
    case 'quantity':
      return range(index, askedUnit(test), test.bounds, { width: 0, single: false });
    case 'composite':
    case 'otherCode':
    case 'words':
      throw new Error('A composite holds neither composites, other codes nor words');
    default:
      return test satisfies never;
  }
}

/**
 * The terms of references to a resource: the relative reference, and the absolute one below the base if the index has
 * any.
 */
function placeTerms<I>(
  test: { readonly type: string; readonly base?: string | undefined },
  id: string,
  index: I,
  indexes: Indexes<I>,
): readonly string[] {
  const relative = idTerm(id, test.type);
  const base = absoluteBase(test, index, indexes);
  return base === undefined ? [relative] : [relative, urlTerm(`${base}/${test.type}/${id}`)];
}

function absoluteBase<I>(
  { base }: { readonly base?: string | undefined },
  index: I,
  indexes: Indexes<I>,
): string | undefined {
  return base !== undefined && indexes.hasAbsolute(index) ? base : undefined;
}

function lowerReference<I>(test: Extract<Test, { kind: 'reference' }>, index: I, indexes: Indexes<I>): ValueClause<I> {
  const { type, id } = test;
  if (id === undefined) return terms(index, [askedUrl(test)]);
  const base = absoluteBase(test, index, indexes);
  if (type !== undefined) return terms(index, placeTerms({ type, base: test.base }, id, index, indexes));
  const values = indexes.termsOfId(index, id);
  if (values === undefined) return { kind: 'prefix', index, prefix: idTerm(id, '') };
  return terms(index, base === undefined ? values : [...values, anyTypeTerm(id, base)]);
}

function range<I>(
  index: I,
  { key, prefix }: ReturnType<typeof askedUnit>,
  bounds: readonly Bound[],
  { width, single }: Pick<RangeClause<I>, 'width' | 'single'>,
): RangeClause<I> {
  const { low, high } = endsOf(bounds);
  return { kind: 'range', index, key, prefix, low, high, width, single };
}

const noUnit = { key: '', prefix: false };

function terms<I>(index: I, values: readonly string[]): ValueClause<I> {
  return { kind: 'terms', index, values: values.length < 2 ? values : [...new Set(values)] };
}

/** A parameter has a value, with an entry or without. */
function present<I>({ param, index }: ParamIndex<I>, { marksMissing }: Indexes<I>): Clause<I> {
  if (marksMissing) return { kind: 'not', of: terms(index, [missing]) };
  if (param.reads === 'words') return { kind: 'prefix', index, prefix: '' };
  const any = { kind: 'range', index, prefix: false, low: everything, high: everything, width: 0 } as const;
  const orUnsearchable = (clause: Clause<I>): Clause<I> =>
    mayBeUnsearchable(param) ? { kind: 'or', of: [clause, terms(index, [unsearchable])] } : clause;
  switch (param.type) {
    case 'token':
    case 'reference':
    case 'uri':
      return { kind: 'prefix', index, prefix: '' }; // the term of values without entries too
    case 'string':
      return orUnsearchable({ kind: 'string', index, how: 'starts', text: '' });
    case 'date':
      return orUnsearchable({ ...any, key: '', width: dateWidth, single: param.single });
    case 'number':
      return orUnsearchable({ ...any, key: '', single: param.single });
    case 'quantity':
      return orUnsearchable({ ...any, key: anyUnit, single: false });
    case 'composite':
      return { kind: 'tuple', index, of: [] };
    case 'special':
      return param.components.length === 0 ? none : orUnsearchable({ kind: 'tuple', index, of: [] });
    default:
      return param.type satisfies never;
  }
}
