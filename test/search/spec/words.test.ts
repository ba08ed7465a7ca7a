// https://hl7.org/fhir/R4/search.html#content
import { describe, expect, it } from 'vitest';
import { entry, explain, refusal, resource, words } from '../thing.ts';

const resources = [
  resource('a', [entry('narrative', words('Chest pain since Monday'))]),
  resource('b', [entry('narrative', words('Pain in the chest', 'Jean-Pierre O’Brien'))]),
  resource('c', [entry('narrative', words('Painful chest')), entry('remark:text', words('Chest pain'))]),
  resource('d', [entry('narrative', words('Thorax', 'chest', 'pain'))]),
  resource('e', [entry('narrative', words('Hypertension artérielle, 5 ans; 胸痛'))]),
  resource('f', [entry('remark:text', words('anna maria', 'pain'))]),
];

describe('full-text search', () => {
  it.each([
    ['a word, in any place', 'narrative=chest', '(param narrative (words "chest"))', 'a b c d'],
    ['a word is a whole word', 'narrative=pain', '(param narrative (words "pain"))', 'a b d'],
    ['without regard to case and accents', 'narrative=ARTERIELLE', '(param narrative (words "arterielle"))', 'e'],
    [
      'all words must occur, in any order',
      'narrative=pain%20chest',
      '(param narrative (words "pain" "chest"))',
      'a b d',
    ],
    ['a phrase is in sequence', 'narrative="chest%20pain"', '(param narrative (words "chest pain"))', 'a'],
    [
      'a phrase does not continue from one text to the next',
      'narrative="thorax chest"',
      '(param narrative (words "thorax chest"))',
      '',
    ],
    ['the beginning of a word', 'narrative=pain*', '(param narrative (words "pain"*))', 'a b c d'],
    [
      'the beginning of the last word of a phrase',
      'narrative="chest pa*"',
      '(param narrative (words "chest pa"*))',
      'a',
    ],
    ['a `*` behind the quotes is the same', 'narrative="chest pa"*', '(param narrative (words "chest pa"*))', 'a'],
    ['a word with a dash is a phrase', 'narrative=jean-pierre', '(param narrative (words "jean pierre"))', 'b'],
    ['punctuation in a word is ignored', "narrative=o'brien", '(param narrative (words "obrien"))', 'b'],
    ['digits, and other scripts', 'narrative=5 胸痛', '(param narrative (words "5" "胸痛"))', 'e'],
    ['a word that is repeated', 'narrative=chest chest CHEST', '(param narrative (words "chest"))', 'a b c d'],
    [
      'one of two values',
      'narrative=monday,thorax',
      '(or (param narrative (words "monday")) (param narrative (words "thorax")))',
      'a d',
    ],
    ['a comma in a phrase', 'narrative="arterielle\\, 5 ans"', '(param narrative (words "arterielle 5 ans"))', 'e'],
    ['an operator in a phrase is a word', 'narrative="pain OR chest"', '(param narrative (words "pain or chest"))', ''],
    [
      'both of two parameters',
      'narrative=chest&narrative=thorax',
      '(and (param narrative (words "chest")) (param narrative (words "thorax")))',
      'd',
    ],
    ['a text that is missing', 'narrative:missing=true', '(not (present narrative))', 'f'],
    [
      ':text on a string: words of all its texts',
      'remark:text=pain ann*',
      '(param remark:text (words "pain" "ann"*))',
      'f',
    ],
    [':text on a string: a phrase', 'remark:text="chest pain"', '(param remark:text (words "chest pain"))', 'c'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['an empty value', 'narrative=', '400 value http.narrative: `narrative` has no value: give it one or omit it.'],
    ['an empty part', 'narrative=a,', '`narrative` has an empty value in its list'],
    [
      'a quotation mark that is not closed',
      'narrative="chest',
      '`"chest` is not a value for `narrative`: a `"` is not closed',
    ],
    ['a phrase that a comma cuts', 'narrative="a,b"', 'a `"` is not closed; a comma in a phrase is written as `\\,`.'],
    [
      'only punctuation',
      'narrative=---',
      '`---` is not a value for `narrative`: `---` has no letter or digit to search for.',
    ],
    ['a phrase of nothing', 'narrative=a ""', '`""` has no letter or digit to search for.'],
    ['a `*` alone', 'narrative=*', '`*` has no letter or digit to search for.'],
    ['a `*` before a word', 'narrative=*a', 'a `*` may only end a word or a phrase.'],
    ['a `*` in a word', 'narrative=a*b', 'a `*` may only end a word or a phrase.'],
    ['a `*` behind a dash', 'narrative=a-*', 'a `*` must follow a letter or a digit.'],
    [
      'an operator',
      'narrative=bone OR liver',
      '`OR` is no operator here: all words must occur, and commas separate alternatives',
    ],
    [
      '`NOT`',
      'remark:text=NOT liver',
      '400 value http.remark:text: `NOT liver` is not a value for `remark:text`: `NOT`',
    ],
    ['too many words', `narrative=${'a '.repeat(51).trim()}-${'b-'.repeat(60)}`, '400 too-costly http.narrative'],
    ['a word without end', `narrative=${'a'.repeat(201)}`, 'is longer than any word.'],
    ['one in a phrase, which the rest alone would widen', `narrative="${'a'.repeat(201)} chest"`, 'than any word.'],
    [
      'words that are too long together',
      `narrative="${`${'\ufdfa'.repeat(199)} `.repeat(9)}"`,
      '400 too-long http.narra',
    ],
    [
      'a modifier of strings',
      'narrative:exact=a',
      'The modifier `:exact` is not supported on `narrative`. Use `:missing`.',
    ],
    [
      'a modifier that is not declared',
      'name:text=a',
      '`:text` is not supported on `name`. Use `:missing`, `:exact`, `:contains`.',
    ],
    [
      'a full-text search that is not declared',
      '_content=a',
      '400 not-supported http._content: `_content` is not supported: omit it.',
    ],
    ['an order by words', '_sort=narrative', 'cannot be sorted by `narrative`'],
  ])('refuses %s: %s', (_, query, error) => {
    expect(refusal(query)).toContain(error);
  });
});
