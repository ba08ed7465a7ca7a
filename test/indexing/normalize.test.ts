// https://hl7.org/fhir/R4/search.html#string
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCode, foldString, phoneDigits } from '../../src/indexing/normalize.ts';

describe('foldString', () => {
  it.each([
    ['case', 'ANN', 'ann'],
    ['accents', 'Éloïse Çağla', 'eloise cagla'],
    ['accents written apart', 'E\u0301loi\u0308se', 'eloise'],
    ['letters that Unicode does not take apart', 'Søren Łukasz Straße', 'soren lukasz strasse'],
    ['a dotted capital', 'İstanbul', 'istanbul'],
    ['a final sigma', 'ΟΔΟΣ', 'οδοσ'],
    ['an apostrophe', 'O’Brien', 'obrien'],
    ['a dash', 'Jean-Pierre', 'jean pierre'],
    ['a full stop', 'St. John', 'st john'],
    ['white space', '  a \t b ', 'a b'],
    ['wide letters', 'Ｔｏｋｙｏ', 'tokyo'],
    ['syllables, kept', '한국 が', '한국 が'],
    ['only punctuation, kept', '---', '---'],
    ['only white space', ' \t', ''],
  ])('folds %s', (_, text, folded) => {
    expect(foldString(text)).toBe(folded);
  });

  it('folds what is folded to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        expect(foldString(foldString(text))).toBe(foldString(text));
      }),
    );
  });
});

describe('foldCode', () => {
  it('drops case alone', () => expect(foldCode('É-1 a')).toBe('é-1 a'));
});

describe('phoneDigits', () => {
  it.each([
    ['+1 (416) 555-0123', '4165550123'],
    ['1-416-555-0123', '4165550123'],
    ['416.555.0123', '4165550123'],
    ['416-555-0123 ext. 45', '4165550123'],
    ['416-555-0123x45', '4165550123'],
    ['tel:+1-416-555-0123', '4165550123'],
    [' 14165550123', '4165550123'],
    ['+44 20 7946 0958', '442079460958'],
    ['911', '911'],
  ])('reads %s', (text, digits) => expect(phoneDigits(text)).toBe(digits));

  it.each(['ann@example.org', '', '12', 'abc 416', '4'.repeat(30)])('does not read `%s`', text =>
    expect(phoneDigits(text)).toBeUndefined(),
  );
});
