import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseProperties, TextDamaged } from '../../src/fhir/stored-text.ts';

describe('the properties of a stored text', () => {
  it.each<[title: string, text: string, expected: object]>([
    ['are those with the names', '{"resourceType":"Basic","id":"a","code":{"text":"x"}}', { code: { text: 'x' } }],
    ['are not those of objects within', '{"contained":[{"code":1}],"code":2}', { code: 2 }],
    ['are not names within texts', '{"a":"\\"code\\":1,","code":2}', { code: 2 }],
    ['may have escapes in their names', '{"\\u0063ode":1}', { code: 1 }],
    ['are several, in any order', '{"subject":[{}],"a":null,"code":"}"}', { code: '}', subject: [{}] }],
    ['are none if there are none of the names', '{"a":{"code":1}}', {}],
    ['are none of an empty object', '{}', {}],
  ])('%s', (_, text, expected) => {
    expect(parseProperties(text, ['code', 'subject'])).toEqual(expected);
  });

  it('are those that the whole text has, whatever it contains', () => {
    const name = fc.constantFrom('code', 'subject', 'codes', 'c"', '\\', 'é');
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue()), fc.uniqueArray(name, { maxLength: 3 }), (value, names) => {
        const expected = Object.fromEntries(Object.entries(value).filter(([key]) => names.some(one => one === key)));
        expect(parseProperties(JSON.stringify(value), names)).toEqual(JSON.parse(JSON.stringify(expected)));
      }),
    );
  });

  it.each(['', 'x', '[]', '{', '{"a":1', '{"a":1,', '{"a":1;"code":2}', '{"stat\\u":1,"code":2}', '{"code":{"a":}}'])(
    'are not read from a damaged text: %s',
    text => {
      expect(() => parseProperties(text, ['code'])).toThrow(TextDamaged);
    },
  );
});
