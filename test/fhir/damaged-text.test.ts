import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson, prettyJson } from '../../src/fhir/json-layout.ts';
import { properties } from '../../src/fhir/resource-text.ts';

const signs = ['{', '}', '[', ']', '"', ',', ':', '\\', 'a', '0', ' ', '\u0000'];

/** What a disk may do to a stored text: a part of it is gone, or is something else. */
const damaged = fc
  .tuple(fc.jsonValue(), fc.nat(), fc.nat({ max: 20 }), fc.string({ unit: fc.constantFrom(...signs) }))
  .map(([value, place, length, put]) => {
    const text = JSON.stringify({ resourceType: 'Basic', value });
    const at = place % text.length;
    return text.slice(0, at) + put + text.slice(at + length);
  });

describe('a damaged text', () => {
  it.each<[title: string, text: string]>([
    ['ends within a name', '{"resourceType":"Basic","na'],
    ['ends within a string', '{"resourceType":"Bas'],
    ['ends behind a backslash', '{"resourceType":"Bas\\'],
    ['ends behind a colon', '{"resourceType":'],
    ['ends within a number', '{"a":1'],
    ['ends within an object', '{"a":{"b":1'],
  ])('that %s has no properties', (_, text) => {
    expect(() => properties(text)).toThrow('The JSON text ends within a');
  });

  it('that ends within a string is not laid out', () => {
    expect(() => prettyJson('{"a":"b')).toThrow('ends within a string');
    expect(() => compactJson('{"a":"b')).toThrow('ends within a string');
  });

  it('is read to its end or refused, whatever it is', () => {
    fc.assert(
      fc.property(damaged, text => {
        for (const read of [properties, prettyJson, compactJson]) expect(isOver(() => read(text))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** True when the call returns or throws an Error: a call that never ends fails the test. */
function isOver(read: () => unknown): boolean {
  try {
    read();
  } catch (error) {
    return error instanceof Error;
  }
  return true;
}
