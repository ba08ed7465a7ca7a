import { foldCode, foldString } from '../../indexing/normalize.ts';
import type { SearchParam } from '../../model/model.ts';
import type { Test } from '../../search/ast.ts';
import { endsOf } from '../interval.ts';
import { anyUnit, askedTokens, askedUnit, askedUrl, codeTerm, idTerm, pairTerm, urlTerm } from '../terms.ts';
import type { Clause } from './clause.ts';
import { dateWidth } from './entries.ts';
import { anyOf, beginsWith, ends, escaped } from './filter.ts';
import { anyTypeTerm, intervalKey, termsOf } from './names.ts';

type Composite = Extract<Test, { kind: 'composite' }>;

/** The check that all components hold on one tuple, and what an index finds by the first two of them (entries.ts). */
export function lowerTuple({ of }: Composite, param: SearchParam, p: string): Clause {
  const { code } = param;
  const parts = of.map((part, at) => component(part, `c${at}`));
  const tuple = Object.assign({ k: termsOf(p, code) }, ...parts) as object; // Object.assign gives any
  const check: Clause = { kind: 'check', filter: { c: { $elemMatch: tuple } } };
  const [first, second] = of;
  const leads = first === undefined ? undefined : leadTerms(first);
  const type = param.components[1]?.param.type;
  const found = leads === undefined || second === undefined ? [] : foundBy(leads, second, type === 'date', code, p);
  return found.length === 0 ? check : { kind: 'and', of: [{ kind: 'or', of: found }, check] };
}

/** What a test asks of the component in a tuple. */
function component(test: Test, name: string): object {
  const terms = termsOfTest(test);
  switch (test.kind) {
    case 'token':
    case 'reference':
    case 'uri':
      return { [`${name}.t`]: terms === undefined ? { $exists: true } : anyOf(terms) };
    case 'string':
      return { [`${name}.s`]: { $elemMatch: stringCondition(test) } };
    case 'range': {
      const { low, high } = endsOf(test.bounds);
      return { [`${name}.n`]: { $elemMatch: { k: '', ...ends(low, high) } } };
    }
    case 'quantity': {
      const { low, high } = endsOf(test.bounds);
      const { key, prefix } = askedUnit(test);
      return { [`${name}.n`]: { $elemMatch: { k: prefix ? beginsWith(key) : key, ...ends(low, high) } } };
    }
    case 'composite':
      throw new Error('A composite holds no composite');
    default:
      return test satisfies never;
  }
}

function stringCondition({ how, text }: Extract<Test, { kind: 'string' }>): object {
  switch (how) {
    case 'exact':
      return { text };
    case 'starts':
      return { folded: beginsWith(text) };
    case 'contains':
      return { folded: { $regex: escaped(text) } };
    default:
      return how satisfies never;
  }
}

/** The terms of which a component has one; undefined where the test is not for a term. */
function termsOfTest(test: Test): readonly string[] | undefined {
  switch (test.kind) {
    case 'token':
      return test.system === undefined && test.code === undefined ? undefined : askedTokens(test);
    case 'reference':
      if (test.id === undefined) return [askedUrl(test)];
      return [test.type === undefined ? anyTypeTerm(test.id) : idTerm(test.id, test.type)];
    case 'uri':
      return [urlTerm(test.uri)];
    case 'string':
    case 'range':
    case 'quantity':
    case 'composite':
      return undefined;
    default:
      return test satisfies never;
  }
}

/** What tuples are found by of their first component: of a token the code, whatever its system. */
function leadTerms(test: Test): readonly string[] | undefined {
  if (test.kind !== 'token') return termsOfTest(test);
  return test.code === undefined ? undefined : [codeTerm(test.code, true), codeTerm(foldCode(test.code), false)];
}

/** One clause a lead: together they find every tuple, and more, since what is behind a code or a value is not looked at. */
function foundBy(leads: readonly string[], test: Test, isDate: boolean, code: string, p: string): readonly Clause[] {
  const start = termsOf(p, code);
  const terms = termsOfTest(test);
  if (terms !== undefined) {
    const both = leads.flatMap(lead => terms.map(term => start + pairTerm(lead, term)));
    return [{ kind: 'terms', code: undefined, terms: both }];
  }
  if (test.kind === 'string') {
    const folded = test.how === 'exact' ? foldString(test.text) : test.text;
    return leads.map(lead =>
      test.how === 'contains'
        ? { kind: 'string', start: start + pairTerm(lead, ''), contains: folded }
        : { kind: 'string', start: start + pairTerm(lead, folded) },
    );
  }
  if (test.kind !== 'range' && test.kind !== 'quantity') return [];
  const unit = test.kind === 'quantity' ? anyUnit : '';
  return leads.map(lead => ({
    kind: 'range',
    field: isDate ? 'd' : 'n',
    code,
    keys: {
      narrow: intervalKey(p, code, false, pairTerm(lead, unit)),
      wide: intervalKey(p, code, true, pairTerm(lead, unit)),
    },
    prefix: false,
    ...endsOf(test.bounds),
    width: isDate ? dateWidth : 0,
    single: false,
  }));
}
