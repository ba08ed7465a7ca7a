// https://hl7.org/fhirpath/N1/#matchesregex-string-boolean: no pattern backtracks, and none means another text.
import { describe, expect, it } from 'vitest';
import { Delegated, TooCostly } from '../../src/fhirpath/evaluate/errors.ts';
import { matchesPattern, replaceMatches, sizeOf } from '../../src/fhirpath/evaluate/pattern.ts';

/** Makes a pattern run without backtracking: nested repetitions that match nothing. */
const nested = (source: string): string => `(?:${source})|(?:(?:@+)+#)`;
const spaces = '\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const texts = ['', 'a', 'Ab_9', '-', '12', 'é', '😀', 'a\nb', 'a]b', '/', '\u200b', '\u180e', ...Array.from(spaces)];

describe('a pattern on the engine that never backtracks', () => {
  it.each([
    String.raw`^\s$`,
    String.raw`^\S$`,
    String.raw`^[\s]$`,
    String.raw`^[^\s]$`,
    String.raw`^[\S]$`,
    String.raw`^[^\S]$`,
    String.raw`^[\S\n]$`,
    String.raw`^\w+$`,
    String.raw`^\d{2}$`,
    String.raw`^.$`,
    String.raw`^[^\]]+$`,
    String.raw`^\/$`,
    String.raw`^[\w\-]$`,
    String.raw`^\u00e9$`,
    String.raw`^\u{1F600}$`,
    String.raw`^\p{L}$`,
    String.raw`a$`,
    String.raw`\bb`,
    String.raw`^[A-Z]([A-Za-z0-9_]){0,254}$`,
    String.raw`^[^]$`,
    String.raw`^[]$|a`,
    String.raw`^\-$`,
    String.raw`^\'|[\']$`,
  ])('means the same: %s', source => {
    let regexp: RegExp;
    try {
      regexp = new RegExp(source, 'su');
    } catch {
      regexp = new RegExp(source, 's');
    }
    for (const text of texts) expect([text, matchesPattern(text, nested(source))]).toEqual([text, regexp.test(text)]);
  });

  it('replaces the same', () => {
    for (const source of ['a|b', '', 'x*', String.raw`\s`, String.raw`[ab]+?`])
      for (const text of ['', 'aabb', 'a x\u00a0b', 'xx😀x'])
        expect([source, replaceMatches(text, nested(source), '-')]).toEqual([
          source,
          text.replaceAll(new RegExp(nested(source), 'gsu'), '-'),
        ]);
  });

  it('takes time by its size and the length of the text, which is spent', () => {
    const costs = [1_000, 2_000, 4_000].map(length => {
      let spent = 0;
      expect(matchesPattern('a'.repeat(length), '(a+)+$!', steps => (spent += steps))).toBe(false);
      return spent;
    });
    expect(costs[2]).toBeLessThan(5 * (costs[0] ?? 0));
    const choices = `(?:${Array.from({ length: 120 }, () => '.').join('|')}){40}!N`;
    expect(matchesPattern('A'.repeat(100_000), choices)).toBe(false);
  });

  it('leaves assertions and back references to fhirpath.js, and rejects large ones before they are compiled', () => {
    for (const source of [String.raw`(a+)+\1`, '(a+)+(?=b)', '(a+)+(?<!b)'])
      expect(() => matchesPattern('a', source)).toThrow(Delegated);
    for (const source of [String.raw`((\p{L}{1000}))+`, '(?:a{1,30}){1,1000}', 'a{1000}'.repeat(1_000)])
      expect(() => matchesPattern('a', source)).toThrow(TooCostly);
    expect(() => matchesPattern('a', '(a+')).toThrow(SyntaxError);
  });
});

it.each<[string, number]>([
  ['abc', 3],
  ['a{3}', 3],
  ['(?:ab){2,5}c', 21],
  ['((a{10}){10}){10}', 1111],
  [String.raw`\p{L}{3}`, 600],
  ['[abc]{4,}', 4],
])('%s has about the size %i', (source, size) => {
  expect(sizeOf(source)).toBeGreaterThanOrEqual(size / 1.5);
  expect(sizeOf(source)).toBeLessThanOrEqual(size * 1.5 + 5);
});
