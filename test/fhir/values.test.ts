import { describe, expect, it } from 'vitest';
import { isId, parseCanonical } from '../../src/fhir/reference.ts';
import { parseETag, printETag } from '../../src/fhir/etag.ts';

// https://hl7.org/fhir/R4/datatypes.html#id
describe('isId', () => {
  it.each(['1', 'a-b.C', 'x'.repeat(64)])('takes `%s`', text => expect(isId(text)).toBe(true));
  it.each(['', 'a_b', 'a/b', 'é', 'a\n', 'x'.repeat(65)])('refuses `%s`', text => expect(isId(text)).toBe(false));
});

// https://hl7.org/fhir/R4/references.html#canonical
describe('parseCanonical', () => {
  it.each([
    ['http://a', { url: 'http://a' }],
    ['http://a|1.0', { url: 'http://a', version: '1.0' }],
    ['http://a|1.0#x', { url: 'http://a', version: '1.0', fragment: 'x' }],
    ['http://a#x', { url: 'http://a', fragment: 'x' }],
    ['http://a|', { url: 'http://a' }],
  ])('reads `%s`', (text, expected) => expect(parseCanonical(text)).toEqual(expected));
});

// https://hl7.org/fhir/R4/http.html#versioning
describe('entity tags', () => {
  it('prints weak tags', () => expect(printETag(3)).toBe('W/"3"'));
  it.each([
    ['W/"3"', ['3']],
    ['"3"', ['3']],
    ['W/"3", "4",W/"x-5"', ['3', '4', 'x-5']],
    [' , "3" ,, W/"4", ', ['3', '4']],
    ['"a,b"', ['a,b']],
    ['*', ['*']],
    ['W/"4"; x', []],
    ['x, "4"', []],
    ['"4" "5"', []],
    ['"4", *', []],
    [`${', '.repeat(5_000)}x`, []],
    ['3', []],
    ['', []],
  ])('reads `%s`', (header, expected) => expect(parseETag(header)).toEqual(expected));
});
