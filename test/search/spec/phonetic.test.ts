// Names that sound alike, by Double Metaphone. https://hl7.org/fhir/R4/valueset-search-xpath-usage.html
import { describe, expect, it } from 'vitest';
import { soundsOf } from '../../../src/indexing/phonetic.ts';
import { wordsOf } from '../../../src/indexing/words.ts';
import { read } from '../../indexing/read.ts';
import { entry, explain, refusal, resource, text } from '../thing.ts';

const sounds = (...names: readonly string[]) =>
  names.flatMap(name => wordsOf(name).flatMap(soundsOf)).map(code => entry('sound', text(code)));

const resources = [
  resource('a', sounds('John', 'Smith')),
  resource('b', sounds('Jon', 'Schmidt')),
  resource('c', sounds('Tremblay')),
  resource('d', sounds('胸痛', 'Ωμέγα')),
  resource('e', sounds('Catherine', "O'Brien")),
  resource('f', sounds('Kathryn Tranblé')),
];
const exact = (code: string): string => `(param sound (exact "${code}"))`;

describe('a phonetic parameter', () => {
  it.each([
    ['a name in another spelling', 'sound=smyth', `(or ${exact('sm0')} ${exact('xmt')})`, 'a b'],
    ['one of two pronunciations', 'sound=schmitt', `(or ${exact('xmt')} ${exact('smt')})`, 'a b'],
    ['without regard to case and accents', 'sound=TRÉMBLAY', exact('trmpl'), 'c'],
    [
      'all words',
      'sound=jon smith',
      `(and (or ${exact('jn')} ${exact('an')}) (or ${exact('sm0')} ${exact('xmt')}))`,
      'a b',
    ],
    [
      'a word that sounds like no other',
      'sound=jon tremblay',
      `(and (or ${exact('jn')} ${exact('an')}) ${exact('trmpl')})`,
      '',
    ],
    ['another spelling of the beginning', 'sound=katherine', `(or ${exact('k0rn')} ${exact('ktrn')})`, 'e f'],
    ['one of two names', 'sound=tremblay,obrian', `(or ${exact('trmpl')} ${exact('aprn')})`, 'c e'],
    ['words without a sound as they are', 'sound=胸痛', exact('胸痛'), 'd'],
    ['records without a name', 'sound:missing=true', '(not (present sound))', ''],
  ])('finds %s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['only punctuation', 'sound=--', '`--` is not a value for `sound`: it has no letter or digit to search for.'],
    ['no value', 'sound=', '`sound` has no value'],
    [
      'a modifier of strings',
      'sound:contains=a',
      'The modifier `:contains` is not supported on `sound`. Use `:missing`.',
    ],
    ['an order', '_sort=sound', 'cannot be sorted by `sound`'],
  ])('refuses %s: %s', (_, query, error) => {
    expect(refusal(query)).toContain(error);
  });

  it('has the codes of all words of names as entries', () => {
    const name = [{ family: 'Smith', given: ['Jean-Pierre'] }, { text: '---' }];
    expect(read('string', 'Patient.name', { resourceType: 'Patient', name }, 'UTC', 'phonetic')).toEqual(
      ['sm0', 'xmt', 'jn', 'an', 'pr'].map(text),
    );
    const organization = { resourceType: 'Organization', name: 'Clinic 5' };
    expect(read('string', 'Organization.name', organization, 'UTC', 'phonetic')).toEqual(['klnk', '5'].map(text));
  });
});
