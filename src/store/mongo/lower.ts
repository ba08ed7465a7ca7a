import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query, Test } from '../../search/ast.ts';
import { endsOf, instantsOf } from '../interval.ts';
import { askedTokens, askedUnit, askedUrl, idTerm, urlTerm } from '../terms.ts';
import { all, type Clause, type RangeClause, type TermsClause } from './clause.ts';
import { dateWidth } from './entries.ts';
import { beginsWith } from './filter.ts';
import { anyTypeTerm, exactTerm, intervalKey, termsOf } from './names.ts';
import { present } from './present.ts';
import { simplify } from './simplify.ts';
import { lowerTuple } from './tuple.ts';

/** Resolves the parameters of a query to fields of the documents of a partition; `p` is its key. */
export function lower(query: Query, type: ResourceType, p: string): Clause {
  return simplify(lowerQuery(query, type, p));
}

function lowerQuery(query: Query, type: ResourceType, p: string): Clause {
  switch (query.kind) {
    case 'all':
      return all;
    case 'and':
    case 'or':
      return { kind: query.kind, of: query.of.map(part => lowerQuery(part, type, p)) };
    case 'not':
      return { kind: 'not', of: lowerQuery(query.of, type, p) };
    case 'id':
      return { kind: 'ids', ids: [...new Set(query.anyOf)].map(id => `${p}/${id}`) };
    case 'lastUpdated':
      return { kind: 'updated', at: instantsOf(query.bounds) };
    case 'present':
      return present(kept(type, query.param), p);
    case 'param':
      return lowerTest(query.test, kept(type, query.param), p);
    default:
      return query satisfies never;
  }
}

/** The parameter as the type indexes it. Throws Error for one that is not kept. */
function kept(type: ResourceType, { code }: SearchParam): SearchParam {
  const found = type.indexed.get(code);
  if (found === undefined) throw new Error(`${type.name} keeps no entries of \`${code}\``);
  return found;
}

function lowerTest(test: Test, param: SearchParam, p: string): Clause {
  const { code } = param;
  const start = termsOf(p, code);
  const terms = (values: readonly string[]): TermsClause => ({
    kind: 'terms',
    code,
    terms: [...new Set(values)].map(value => start + value),
  });
  switch (test.kind) {
    case 'token':
      return test.system === undefined && test.code === undefined ? present(param, p) : terms(askedTokens(test));
    case 'reference':
      if (test.id === undefined) return terms([askedUrl(test)]);
      if (test.type !== undefined) return terms([idTerm(test.id, test.type)]);
      if (param.targets.length === 0) return terms([anyTypeTerm(test.id)]);
      return { kind: 'check', filter: { t: { $elemMatch: beginsWith(start + idTerm(test.id, '')) } } };
    case 'uri':
      return terms([urlTerm(test.uri)]);
    case 'string':
      if (test.how === 'exact') return terms([exactTerm(test.text)]);
      return test.how === 'starts'
        ? { kind: 'string', start: start + test.text }
        : { kind: 'string', start, contains: test.text };
    case 'range':
    case 'quantity':
      return lowerRange(test, param, p);
    case 'composite':
      return lowerTuple(test, param, p);
    default:
      return test satisfies never;
  }
}

function lowerRange(test: Extract<Test, { kind: 'range' | 'quantity' }>, param: SearchParam, p: string): RangeClause {
  const isDate = param.type === 'date';
  const { key, prefix } = test.kind === 'quantity' ? askedUnit(test) : { key: '', prefix: false };
  const { code } = param;
  return {
    kind: 'range',
    field: isDate ? 'd' : 'n',
    code,
    keys: { narrow: intervalKey(p, code, false, key), wide: intervalKey(p, code, true, key) },
    prefix,
    ...endsOf(test.bounds),
    width: isDate ? dateWidth : 0,
    single: param.single && test.kind === 'range',
  };
}
