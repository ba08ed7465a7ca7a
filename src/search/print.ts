import { MAX_TIME, MIN_TIME } from '../fhir/instant-range.ts';
import type { SearchParam } from '../model/model.ts';
import { linksOf, openTo } from './walk.ts';
import type { Bound, EntryTest, Query, Sort, Test } from './ast.ts';

/**
 * A query on one line, for tests, logs and explanations: `(and (param name (starts "ann")) (param birthdate (high >
 * 1981-01-01)))`. Two queries on one type with the same text have the same meaning.
 */
export function print(query: Query): string {
  switch (query.kind) {
    case 'all':
      return '(all)';
    case 'and':
    case 'or':
      return list(query.kind, query.of.map(print));
    case 'not':
      return list('not', [print(query.of)]);
    case 'id':
      return list('id', query.anyOf.map(quote));
    case 'lastUpdated':
      return list('lastUpdated', query.bounds.map(printTime));
    case 'owner':
      return print(linksOf(query));
    case 'param':
      return list('param', [query.param.code, printTest(query.test, query.param)]);
    case 'present':
      return list('present', [query.param.code]);
    case 'entry':
      return list('entry', [query.param.code, printEntry(query.test, query.param)]);
    case 'chain':
      return list('chain', [query.param.code, query.type.name, print(openTo(query))]);
    case 'inside':
      return list('inside', [query.param.code, query.type.name, print(query.of)]);
    case 'has':
      return list('has', [query.type.name, query.param.code, print(openTo(query))]);
    case 'tree':
      return list('tree', [
        query.param.code,
        query.how,
        `${query.type.name}/${query.id}`,
        query.by.code,
        ...walked(query.of),
      ]);
    case 'contained':
      return list('contained', [query.type.name, print(query.of)]);
    default:
      return query satisfies never;
  }
}

/** The condition on resources that are followed, if there is one. */
const walked = (of: Query): readonly string[] => (of.kind === 'all' ? [] : [print(of)]);

/** Sort keys as `_sort` writes them; `(default)` for the type's own order. */
export function printSort(sort: readonly Sort[]): string {
  return sort
    .map(key => (key.by === 'default' ? '(default)' : `${key.descending ? '-' : ''}${sortName(key)}`))
    .join(',');
}

function sortName(key: Exclude<Sort, { by: 'default' }>): string {
  return key.by === 'param' ? key.param.code : `_${key.by}`;
}

function printEntry(test: EntryTest | Test, param: SearchParam): string {
  if (test.kind === 'equals' || test.kind === 'ends') return list(test.kind, [quote(test.text)]);
  if (test.kind === 'near')
    return list('near', [test.position.latitude, test.position.longitude, test.distance].map(String));
  if (test.kind === 'uriPart') return list(test.how, [quote(test.text)]);
  if (test.kind !== 'unequal') return printTest(test, param);
  const parts = test.of.map(one => printEntry(one, param));
  return list('unequal', parts);
}

function printTest(test: Test, param: SearchParam): string {
  switch (test.kind) {
    case 'string':
      return list(test.how, [quote(test.text)]);
    case 'words':
      return list(
        'words',
        test.phrases.map(({ text, isPrefix }) => `${quote(text)}${isPrefix ? '*' : ''}`),
      );
    case 'token':
      return list('token', [test.system === null ? 'none' : either(test.system), either(test.code)]);
    case 'otherCode':
      return list(
        'other',
        test.of.map(one => printTest(one, param)),
      );
    case 'codes':
      return list(test.how, [quote(test.of)]);
    case 'range':
      return test.bounds.map(param.type === 'date' ? printTime : printNumber).join(' ');
    case 'quantity':
      return list('quantity', [
        ...test.bounds.map(printNumber),
        ...(test.canonical === undefined
          ? [either(test.system), either(test.unit)]
          : ['canonical', quote(test.canonical)]),
      ]);
    case 'reference':
      return test.url === undefined
        ? list('reference', [test.type ?? 'any', either(test.id)])
        : list('reference', [
            ...(test.below === true ? ['below'] : []),
            quote(test.url),
            ...(test.version === undefined ? [] : [quote(test.version)]),
          ]);
    case 'references':
      return list('references', [
        ...test.ids.map(id => `${test.type}/${id}`),
        ...test.canonicals.map(({ url, version }) => list('canonical', [quote(url), quote(version)])),
      ]);
    case 'uri':
      return list('uri', [...(test.tree === undefined ? [] : [test.tree]), quote(test.uri)]);
    case 'composite':
      return list(
        'composite',
        test.of.map((part, index) => printTest(part, param.components[index]?.param ?? param)),
      );
    default:
      return test satisfies never;
  }
}

const printTime = (bound: Bound): string => printBound(bound, time(bound.value));
const printNumber = (bound: Bound): string => printBound(bound, String(bound.value));
const printBound = (bound: Bound, value: string): string => `(${bound.end} ${bound.is} ${value})`;

/** A day if it is the start of one in UTC, else the instant, with nanoseconds if it is not a whole millisecond. */
function time(value: number): string {
  if (value < MIN_TIME || value > MAX_TIME) return String(value);
  const whole = Math.floor(value);
  const text = new Date(whole).toISOString();
  if (whole === value) return text.replace(/T00:00:00\.000Z$/, '');
  return text.replace(/Z$/, `${String(Math.floor((value - whole) * 1e6)).padStart(6, '0')}Z`);
}

const list = (name: string, parts: readonly string[]): string => `(${[name, ...parts].join(' ')})`;
const quote = (text: string): string => JSON.stringify(text);
const either = (text: string | undefined): string => (text === undefined ? 'any' : quote(text));
