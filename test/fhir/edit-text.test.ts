import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withProperty, withoutProperty } from '../../src/fhir/edit-text.ts';

describe('withoutProperty', () => {
  it.each([
    ['{"a":1,"b":{"c":2,"d":3}}', ['b', 'c'], '{"a":1,"b":{"d":3}}'],
    ['{"b":[{"c":1},{"d":2},{"c":3,"d":4}]}', ['b', 'c'], '{"b":[{},{"d":2},{"d":4}]}'],
    [String.raw`{"\u0061":"x","b":1.10}`, ['a'], '{"b":1.10}'],
    ['{"a":{"a":1}}', ['a', 'a'], '{"a":{}}'],
    ['{"a":[]}', ['a', 'b'], '{"a":[]}'],
    ['{"a":5}', ['a', 'b'], '{"a":5}'],
    ['{}', ['a'], '{}'],
  ])('%s without %j is %s', (text, path, expected) => {
    expect(withoutProperty(text, path)).toBe(expected);
  });

  it('leaves everything else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), value => {
        const { data: _, ...rest } = value;
        expect(withoutProperty(JSON.stringify({ ...rest, data: 'x' }), ['data'])).toBe(JSON.stringify(rest));
      }),
    );
  });
});

describe('withProperty', () => {
  it.each([
    ['{}', ['a'], '{"a":1}'],
    ['{"b":"}"}', ['a'], '{"b":"}","a":1}'],
    ['{"b":{"c":2},"d":3}', ['b', 'a'], '{"b":{"c":2,"a":1},"d":3}'],
    ['{"b":[{},{"c":2}]}', ['b', 'a'], '{"b":[{"a":1},{"c":2,"a":1}]}'],
    ['{"d":3}', ['b', 'a'], '{"d":3}'],
  ])('%s with %j is %s', (text, path, expected) => {
    expect(withProperty(text, path, '1')).toBe(expected);
  });
});
