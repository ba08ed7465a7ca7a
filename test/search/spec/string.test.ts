// https://hl7.org/fhir/R4/search.html#string
import { describe, expect, it } from 'vitest';
import { entry, explain, refusal, resource, text } from '../thing.ts';

const resources = [
  resource('ann', [entry('name', text('Ann')), entry('name', text('Carreno Quinones'))]),
  resource('anna', [entry('name', text('anna'))]),
  resource('joann', [entry('name', text('Jo-Ann'))]),
  resource('eloise', [entry('name', text('Éloïse'))]),
  resource('comma', [entry('name', text('a,b'))]),
  resource('nobody', []),
];

describe('string search', () => {
  it.each([
    ['starts with', 'name=ann', '(param name (starts "ann"))', 'ann anna'],
    ['case does not count', 'name=ANN', '(param name (starts "ann"))', 'ann anna'],
    ['accents do not count', 'name=eloi', '(param name (starts "eloi"))', 'eloise'],
    ['nor in the value searched', 'name=%C3%89LO%C3%8F', '(param name (starts "eloi"))', 'eloise'],
    ['punctuation does not count', 'name=jo.%20ann', '(param name (starts "jo ann"))', 'joann'],
    ['white space does not count', 'name=carreno%20%20q', '(param name (starts "carreno q"))', 'ann'],
    [':contains is anywhere', 'name:contains=ANN', '(param name (contains "ann"))', 'ann anna joann'],
    [':exact is the whole, as written', 'name:exact=Ann', '(param name (exact "Ann"))', 'ann'],
    [':exact counts case', 'name:exact=ann', '(param name (exact "ann"))', ''],
    ['comma is or', 'name=jo,anna', '(or (param name (starts "jo")) (param name (starts "anna")))', 'anna joann'],
    [
      'comma is or with a modifier',
      'name:exact=Ann,anna',
      '(or (param name (exact "Ann")) (param name (exact "anna")))',
      'ann anna',
    ],
    [
      'repeating is and, on any of the values',
      'name=ann&name=carr',
      '(and (param name (starts "ann")) (param name (starts "carr")))',
      'ann',
    ],
    ['an escaped comma is one', 'name:exact=a%5C,b', '(param name (exact "a,b"))', 'comma'],
    [
      'a percent-encoded comma still is or',
      'name:exact=a%2Cb',
      '(or (param name (exact "a")) (param name (exact "b")))',
      '',
    ],
    [':missing=true', 'name:missing=true', '(not (present name))', 'nobody'],
    [':missing=false', 'name:missing=false', '(present name)', 'ann anna joann eloise comma'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['name=%20', '400 value http.name: `name` has no value: give it one or omit it.'],
    ['name:exact=', '400 value http.name:exact: `name:exact` has no value: give it one or omit it.'],
    [
      'name=a,',
      '400 value http.name: `name` has an empty value in its list: remove the comma, or write a comma ' +
        'in a value as `\\,`.',
    ],
    [
      'name:missing=yes',
      '400 value http.name:missing: `yes` is not a value for `name:missing`: write `true` or `false`.',
    ],
    [
      'name:missing=true,false',
      '400 value http.name:missing: `true,false` is not a value for `name:missing`: write `true` or `false`.',
    ],
    [
      'name=a%5Cx',
      '400 value http.name: `\\x` in the value of `name` is not valid: a `\\` must precede `,`, `|`, `$` or `\\`.',
    ],
    [
      'name:text=a',
      '400 code-invalid http.name:text: The modifier `:text` is not supported on `name`. Use ' +
        '`:missing`, `:exact`, `:contains`.',
    ],
    [
      `name:contains=${'a'.repeat(10_001)}`,
      '400 too-long http.name:contains: `name:contains` has a value of 10,001 characters: give at most 10,000.',
    ],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toBe(error);
  });
});
