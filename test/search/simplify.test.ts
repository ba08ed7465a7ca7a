import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../src/search/ast.ts';
import { matches, type Indexed } from '../../src/search/matches.ts';
import { print } from '../../src/search/print.ts';
import { simplify } from '../../src/search/simplify.ts';
import { parametersOf, parametersOfSort } from '../../src/search/walk.ts';
import { entry, parameter, resource, search, text, thing, token } from './thing.ts';

const code = parameter('code', 'token', ['code']);
const born = parameter('born', 'date', ['date'], { single: true });
const name = parameter('name', 'string', ['string']);

const bound = fc.record({
  end: fc.constantFrom('low' as const, 'high' as const),
  is: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
  value: fc.integer({ min: 0, max: 5 }),
});
const bounds = fc.array(bound, { minLength: 1, maxLength: 2 });
const leaf: fc.Arbitrary<Query> = fc.oneof(
  fc.constant({ kind: 'all' } as const),
  fc.record({ kind: fc.constant('id' as const), anyOf: fc.subarray(['a', 'b', 'c']) }),
  fc.record({ kind: fc.constant('lastUpdated' as const), bounds }),
  fc
    .constantFrom('x', 'y')
    .map((value): Query => ({ kind: 'param', param: code, test: { kind: 'token', code: value } })),
  bounds.map((bounds): Query => ({ kind: 'param', param: born, test: { kind: 'range', bounds } })),
  fc.constantFrom(code, born, name).map((param): Query => ({ kind: 'present', param })),
);
const anyQuery = fc.letrec<{ query: Query }>(tie => ({
  query: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ kind: fc.constantFrom('and' as const, 'or' as const), of: fc.array(tie('query'), { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('not' as const), of: tie('query') }),
  ),
})).query;

const anyResource: fc.Arbitrary<Indexed> = fc
  .record({
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    lastUpdated: fc.integer({ min: 0, max: 5 }),
    codes: fc.subarray(['x', 'y', 'z']),
    born: fc.option(fc.integer({ min: 0, max: 4 })),
    name: fc.boolean(),
  })
  .map(({ id, lastUpdated, codes, born, name }) =>
    resource(
      id,
      [
        ...codes.map(value => entry('code', token(undefined, value))),
        ...(born === null ? [] : [entry('born', { kind: 'date', low: born, high: born + 1 })]),
        ...(name ? [entry('name', text('n'))] : []),
      ],
      lastUpdated,
    ),
  );

describe('simplify', () => {
  it('keeps the meaning', () => {
    fc.assert(
      fc.property(anyQuery, anyResource, (query, resource) => {
        expect(matches(simplify(query), resource)).toBe(matches(query, resource));
      }),
      { numRuns: 3000 },
    );
  });

  it('leaves nothing to simplify', () => {
    fc.assert(
      fc.property(anyQuery, query => {
        const once = simplify(query);
        expect(print(simplify(once))).toBe(print(once));
      }),
    );
  });

  it('leaves negation at single tests alone and no nesting of one kind', () => {
    const tidy = (query: Query): boolean => {
      if (query.kind === 'not') return ['id', 'lastUpdated', 'param', 'present'].includes(query.of.kind);
      if (query.kind !== 'and' && query.kind !== 'or') return true;
      return query.of.length > 1 && query.of.every(part => part.kind !== query.kind && tidy(part));
    };
    fc.assert(
      fc.property(anyQuery, query => {
        expect(tidy(simplify(query))).toBe(true);
      }),
    );
  });

  it('drops what is asked twice', () => {
    expect(print(search('code=a&code=a&name=b').query)).toBe(
      '(and (param code (token any "a")) (param name (starts "b")))',
    );
  });
});

describe('parametersOf', () => {
  it('names each parameter once', () => {
    const { query } = search('name=a&name=b&code:not=c,d&date:missing=true&_id=1&_lastUpdated=gt2020');
    expect(parametersOf(query).map(({ code }) => code)).toEqual(['name', 'code', 'date']);
  });
});

describe('parametersOfSort', () => {
  it.each([
    ['', 'date'],
    ['_sort=_id', ''],
    ['_sort=-born,_lastUpdated', 'born'],
  ])('names what decides the order of `%s`', (query, codes) => {
    expect(
      parametersOfSort(thing, search(query).sort)
        .map(({ code }) => code)
        .join(),
    ).toBe(codes);
  });
});
