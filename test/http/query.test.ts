// https://hl7.org/fhir/R4/http.html#root
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitTarget } from '../../src/http/request/target.ts';
import { parsePairs, percentDecode } from '../../src/search/parse/pairs.ts';

describe('parsePairs', () => {
  it.each([
    ['', []],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a=1&a=2',
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['&&a=1&', [['a', '1']]],
    ['a=b=c', [['a', 'b=c']]],
    ['name=Jos%C3%A9+Mar%C3%ADa', [['name', 'José María']]],
    ['date=2024-05-01T10:00:00%2B02:00', [['date', '2024-05-01T10:00:00+02:00']]],
    ['code=a%7Cb%2Cc', [['code', 'a|b,c']]],
    ['name%3Aexact=Ann', [['name:exact', 'Ann']]],
  ])('reads %s', (text, pairs) => {
    expect(parsePairs(text)).toEqual(pairs);
  });

  it.each([['a=%'], ['a=%4'], ['a=%zz'], ['%=1'], ['a=%ff'], ['a=%C3'], ['a=%ED%A0%80']])('refuses %s', text => {
    expect(() => parsePairs(text)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('reads what URLSearchParams writes', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' })));
    fc.assert(
      fc.property(pairs, pairs => {
        const text = new URLSearchParams(pairs).toString();
        expect(parsePairs(text)).toEqual(pairs.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]));
      }),
    );
  });
});

describe('percentDecode', () => {
  it('says which escape is none', () => {
    expect(() => percentDecode('100%')).toThrow('`%` is not a percent-escape');
    expect(() => percentDecode('%FF')).toThrow('not UTF-8');
  });
});

describe('splitTarget', () => {
  it.each([
    ['/r4/demo/Patient?a=1', '/r4/demo/Patient', 'a=1'],
    ['/r4/demo', '/r4/demo', ''],
    ['/a?b?c', '/a', 'b?c'],
    ['http://host:80/r4/demo?a=1', '/r4/demo', 'a=1'],
    ['HTTPS://host/x', '/x', ''],
    ['*', '*', ''],
  ])('splits %s', (target, path, query) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});
