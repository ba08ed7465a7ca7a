// https://hl7.org/fhir/R4/search.html#number and #quantity
import { describe, expect, it } from 'vitest';
import { entry, explain, number, quantity, refusal, resource } from '../thing.ts';

const ucum = 'http://unitsofmeasure.org';
const numbers = [
  ...[99.4, 99.5, 100, 100.004, 100.5].map(value => resource(String(value), [entry('score', number(value))])),
  resource('95-105', [entry('score', number(95, 105))]),
];
const quantities = [
  resource('mg', [entry('size', quantity(5.4, ucum, 'mg', 'milligram'))]),
  resource('mg2', [entry('size', quantity(5.44, ucum, 'mg', 'mg'))]),
  resource('text', [entry('size', quantity(5.4, undefined, undefined, 'mg'))]),
  resource('other', [entry('size', quantity(5.4, 'http://other', 'mg'))]),
  resource('kg', [entry('size', quantity(54, ucum, 'kg'))]),
];

describe('number search', () => {
  it.each([
    ['three digits', 'score=100', '(param score (low >= 99.5) (high < 100.5))', '99.5 100 100.004'],
    ['five digits', 'score=100.00', '(param score (low >= 99.995) (high < 100.005))', '100 100.004'],
    ['an exponent', 'score=1e2', '(param score (low >= 95) (high < 105))', '99.4 99.5 100 100.004 100.5'],
    ['ne', 'score=ne100', '(or (param score (low < 99.5)) (param score (high >= 100.5)))', '99.4 100.5 95-105'],
    ['gt, exactly', 'score=gt100', '(param score (high > 100))', '100.004 100.5 95-105'],
    ['lt, exactly', 'score=lt100', '(param score (low < 100))', '99.4 99.5 95-105'],
    ['ge, exactly', 'score=ge100', '(param score (high >= 100))', '100 100.004 100.5 95-105'],
    ['le, exactly', 'score=le100', '(param score (low <= 100))', '99.4 99.5 100 95-105'],
    ['sa', 'score=sa100', '(param score (low > 100))', '100.004 100.5'],
    ['eb', 'score=eb100', '(param score (high < 100))', '99.4 99.5'],
    ['ap', 'score=ap110', '(param score (low <= 121) (high >= 99))', '99.4 99.5 100 100.004 100.5 95-105'],
    ['a negative number', 'score=lt-1', '(param score (low < -1))', ''],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, numbers)).toEqual({ ast, finds });
  });

  it.each(['gte1', '1 0', 'abc', '1,000.5x', '+1', '.5', 'NaN', '1|a'])('refuses `%s`', value => {
    expect(refusal(`score=${encodeURIComponent(value)}`)).toContain('a number is written `100`, `5.40` or `1e2`');
  });
});

describe('quantity search', () => {
  it.each([
    [
      'the number alone',
      'size=5.4',
      '(param size (quantity (low >= 5.35) (high < 5.45) any any))',
      'mg mg2 text other',
    ],
    [
      'with a code of a system',
      `size=5.40|${ucum}|mg`,
      `(param size (quantity (low >= 5.395) (high < 5.405) "${ucum}" "mg"))`,
      'mg',
    ],
    [
      'with code or unit',
      'size=5.4||mg',
      '(param size (quantity (low >= 5.35) (high < 5.45) any "mg"))',
      'mg mg2 text other',
    ],
    [
      'with the words',
      'size=5.4||milligram',
      '(param size (quantity (low >= 5.35) (high < 5.45) any "milligram"))',
      'mg',
    ],
    ['with the system alone', `size=gt5.4|${ucum}|`, `(param size (quantity (high > 5.4) "${ucum}" any))`, 'mg2 kg'],
    [
      'ne, among those of the unit',
      'size=ne5.40||mg',
      '(or (param size (quantity (low < 5.395) any "mg")) (param size (quantity (high >= 5.405) any "mg")))',
      'mg2',
    ],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, quantities)).toEqual({ ast, finds });
  });

  it.each(['5.4|mg', '5.4|a|b|c', 'abc||mg'])('refuses `%s`', value => {
    expect(refusal(`size=${encodeURIComponent(value)}`)).toMatch(
      /^400 value http\.size: `.*` is not a value for `size`/,
    );
  });
});
