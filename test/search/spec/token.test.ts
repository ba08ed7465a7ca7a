// https://hl7.org/fhir/R4/search.html#token
import { describe, expect, it } from 'vitest';
import { entry, explain, refusal, resource, token } from '../thing.ts';

const resources = [
  resource('a', [entry('code', token('http://s', 'One'))]),
  resource('b', [entry('code', token('http://t', 'one')), entry('code', token('http://t', 'two'))]),
  resource('c', [entry('code', token(undefined, 'one'))]),
  resource('d', [entry('code', token('http://exact', 'One'))]),
  resource('e', [entry('code', token('http://s', 'x|y'))]),
  resource('f', [entry('code', token('http://s', undefined))]),
  resource('g', [entry('active', token(undefined, 'true')), entry('phone', token(undefined, '4165550123'))]),
  resource('h', [entry('phone', token(undefined, 'ann@example.org'))]),
];

describe('token search', () => {
  it.each([
    ['a code of any system', 'code=One', '(param code (token any "One"))', 'a b c d'],
    ['case counts where the system says so', 'code=one', '(param code (token any "one"))', 'a b c'],
    ['a code of a system', 'code=http://s|one', '(param code (token "http://s" "one"))', 'a'],
    ['a code without system', 'code=|one', '(param code (token none "one"))', 'c'],
    ['any code of a system', 'code=http://s|', '(param code (token "http://s" any))', 'a e f'],
    ['a bar in a code', 'code=http://s|x%5C|y', '(param code (token "http://s" "x|y"))', 'e'],
    ['or', 'code=two,http://s|one', '(or (param code (token any "two")) (param code (token "http://s" "one")))', 'a b'],
    [
      'and, on any of the values',
      'code=one&code=two',
      '(and (param code (token any "one")) (param code (token any "two")))',
      'b',
    ],
    [':not keeps what has no code', 'code:not=one', '(not (param code (token any "one")))', 'd e f g h'],
    [
      ':not covers the whole list',
      'code:not=one,http://s|',
      '(and (not (param code (token any "one"))) (not (param code (token "http://s" any))))',
      'd g h',
    ],
    ['true', 'active=true', '(param active (token any "true"))', 'g'],
    ['true, without a system', 'active=|true', '(param active (token any "true"))', 'g'],
    ['a ContactPoint, without a system', 'phone=|4165550123', '(param phone (token any "4165550123"))', 'g'],
    ['false', 'active=false', '(param active (token any "false"))', ''],
    [
      'a telephone number by its digits',
      'phone=(416)%20555-0123',
      '(or (param phone (token any "4165550123")) (param phone (token any "(416) 555-0123")))',
      'g',
    ],
    ['digits alone', 'phone=4165550123', '(param phone (token any "4165550123"))', 'g'],
    [
      'a country code whose + became a space',
      'phone=+14165550123',
      '(or (param phone (token any "4165550123")) (param phone (token any " 14165550123")))',
      'g',
    ],
    ['an address that is no number', 'phone=Ann@example.org', '(param phone (token any "Ann@example.org"))', 'h'],
    [':missing', 'active:missing=false', '(present active)', 'g'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['code=|', '`|` is not a value for `code`: give a code, a system, or both, as `system|code`.'],
    ['code=a|b|c', '`a|b|c` is not a value for `code`: write a `|` inside of a code or system as `\\|`.'],
    ['active=yes', '`yes` is not a value for `active`: write `true` or `false`.'],
    ['active=True', '`True` is not a value for `active`: write `true` or `false`.'],
    ['active=urn:x|true', 'it has no system'],
    ['phone=urn:x|416', 'it has no system'],
    ['site=http://a|b', 'it has no system'],
    ['code:text=a', 'The modifier `:text` is not supported on `code`. Use `:missing`, `:not`.'],
    ['code:in=a', 'The modifier `:in` is not supported on `code`.'],
    ['code:=a', 'The modifier `:` is not supported on `code`.'],
    ['code:not:not=a', 'The modifier `:not:not` is not supported on `code`.'],
    ['code:constructor=a', 'The modifier `:constructor` is not supported on `code`.'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });
});
