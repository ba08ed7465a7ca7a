// https://hl7.org/fhir/R4/search.html#composite, #uri and #all
import { describe, expect, it } from 'vitest';
import { entry, explain, quantity, refusal, resource, token } from '../thing.ts';

const pair = (code: string, value: number) =>
  entry('code-size', {
    kind: 'composite',
    of: [[token('http://s', code), token('http://t', `t-${code}`)], [quantity(value)]],
  });
const resources = [
  resource('a', [pair('x', 1), pair('y', 2)]),
  resource('b', [pair('x', 2)]),
  resource('c', [entry('url', { kind: 'uri', uri: 'http://a/B' })]),
  resource('d', [entry('url', { kind: 'uri', uri: 'http://a/B/c' })]),
];

describe('composite search', () => {
  it.each([
    [
      'all parts on one tuple',
      'code-size=x$2',
      '(param code-size (composite (token any "x") (quantity (low >= 1.5) (high < 2.5) any any)))',
      'b',
    ],
    [
      'a system, a prefix',
      'code-size=http://t|t-x$gt1',
      '(param code-size (composite (token "http://t" "t-x") (quantity (high > 1) any any)))',
      'b',
    ],
    [
      'a part with two tests',
      'code-size=x$ne1',
      '(or (param code-size (composite (token any "x") (quantity (low < 0.5) any any))) ' +
        '(param code-size (composite (token any "x") (quantity (high >= 1.5) any any))))',
      'b',
    ],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['code-size=x', 'write `{code}${size}`'],
    ['code-size=x$', 'write `{code}${size}`'],
    ['code-size=x$1$2', 'write `{code}${size}`'],
    ['code-size=x%5C$1', 'write `{code}${size}`'],
    ['code-size=x$abc', '400 value http.code-size: `abc` is not a value for `code-size`: a number'],
    ['code-size:missing=true', 'The modifier `:missing` is not supported on `code-size`. It has none.'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });
});

describe('uri search', () => {
  it.each([
    ['exact', 'url=http://a/B', '(param url (uri "http://a/B"))', 'c'],
    ['case counts', 'url=http://a/b', '(param url (uri "http://a/b"))', ''],
    [
      'or',
      'url=http://a/B,http://a/B/c',
      '(or (param url (uri "http://a/B")) (param url (uri "http://a/B/c")))',
      'c d',
    ],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each(['url=http://a/B|', 'url=|1', 'url=|'])('refuses %s', query => {
    expect(refusal(query)).toContain('400 value http.url');
    expect(refusal(query)).toContain('write the whole URI, or `url|version`');
  });

  it('refuses :below and :above', () => {
    expect(refusal('url:below=http://a')).toContain('The modifier `:below` is not supported on `url`. Use `:missing`.');
  });
});

describe('_id', () => {
  it.each([
    ['one', '_id=a', '(id "a")', 'a'],
    ['or', '_id=a,c,a', '(id "a" "c")', 'a c'],
    ['and', '_id=a,c&_id=c,d', '(id "c")', 'c'],
    ['case counts', '_id=A', '(id "A")', ''],
    ['what no id can be is found nowhere', '_id=a_b', '(id)', ''],
    [':not', '_id:not=a,b', '(not (id "a" "b"))', 'c d'],
    [':missing', '_id:missing=true', '(id)', ''],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it('refuses an empty one', () => {
    expect(refusal('_id=')).toBe('400 value http._id: `_id` has no value: give it one or omit it.');
    expect(refusal('_id=a,,b')).toContain('`_id` has an empty value in its list');
  });
});
