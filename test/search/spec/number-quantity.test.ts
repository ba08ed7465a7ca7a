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

  it.each(['gte1', '1 0', 'abc', '1,000.5x', '+1', '.5', 'NaN', '1|a', '1e400', '1e-400'])('refuses `%s`', value => {
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
      '(param size (quantity (low >= 0.005395) (high < 0.005405) canonical "g"))',
      'mg',
    ],
    [
      'with a code of another system',
      'size=5.40|http://other|mg',
      '(param size (quantity (low >= 5.395) (high < 5.405) "http://other" "mg"))',
      'other',
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

describe('quantity search across the units of UCUM', () => {
  const of = (id: string, value: number, code: string, system = ucum) =>
    resource(id, [entry('size', quantity(value, system, code))]);
  const amounts = [
    of('5400mg', 5400, 'mg'),
    of('5.4g', 5.4, 'g'),
    of('0.0054kg', 0.0054, 'kg'),
    of('5400001ug', 5_400_001, 'ug'),
    of('5.4mL', 5.4, 'mL'),
    of('other', 5.4, 'g', 'http://other'),
    of('37', 37, 'Cel'),
    of('98.6', 98.6, '[degF]'),
    of('pH', 7.4, '[pH]'),
    of('IU', 5.4, '[iU]'),
    of('words', 5.4, 'grams'),
    of('millions', 4.5, '10*12/L'),
    of('per uL', 4_500_000, '/uL'),
    of('50%', 50, '%'),
  ];
  const cases: readonly (readonly [title: string, query: string, ast: string, finds: string])[] = [
    [
      'another unit',
      `size=5.4|${ucum}|g`,
      '(low >= 5.35) (high < 5.45) canonical "g"',
      '5400mg 5.4g 0.0054kg 5400001ug',
    ],
    [
      'the precision in its unit',
      `size=5400|${ucum}|mg`,
      '(low >= 5.3995) (high < 5.4005) canonical "g"',
      '5400mg 5.4g 0.0054kg 5400001ug',
    ],
    ['without an error of rounding', `size=gt0.0054|${ucum}|kg`, '(high > 5.4) canonical "g"', '5400001ug'],
    [
      'nor in the other direction',
      `size=lt5400001|${ucum}|ug`,
      '(low < 5.400001) canonical "g"',
      '5400mg 5.4g 0.0054kg',
    ],
    ['temperatures', `size=310.15|${ucum}|K`, '(low >= 310.145) (high < 310.155) canonical "K"', '37 98.6'],
    ['exactly', `size=ge98.6|${ucum}|[degF]`, '(high >= 310.15) canonical "K"', '37 98.6'],
    ['numbers of cells', `size=ge4.5|${ucum}|10*6/uL`, '(high >= 4500000000000000) canonical "m-3"', 'millions per uL'],
    [
      'an annotation',
      `size=5.4|${ucum}|g{total}`,
      '(low >= 5.35) (high < 5.45) canonical "g"',
      '5400mg 5.4g 0.0054kg 5400001ug',
    ],
    ['numbers alone', `size=0.5|${ucum}|1`, '(low >= 0.45) (high < 0.55) canonical "1"', '50%'],
    ['a special unit by its code', `size=7.4|${ucum}|[pH]`, `(low >= 7.35) (high < 7.45) "${ucum}" "[pH]"`, 'pH'],
    ['an arbitrary unit by its code', `size=5.4|${ucum}|[iU]`, `(low >= 5.35) (high < 5.45) "${ucum}" "[iU]"`, 'IU'],
    ['no unit of UCUM as a text', `size=5.4|${ucum}|grams`, `(low >= 5.35) (high < 5.45) "${ucum}" "grams"`, 'words'],
    [
      'up to the end of numbers',
      `size=1.7976931348623157e308|${ucum}|g`,
      '(low >= 1.7976931348623157e+308) (high < Infinity) canonical "g"',
      '',
    ],
    [
      'about the end of numbers',
      `size=ap-1.7976931348623157e308|${ucum}|g`,
      '(low <= -1.6179238213760842e+308) (high >= -Infinity) canonical "g"',
      '',
    ],
    ['a unit without system as a text', 'size=5.4||g', '(low >= 5.35) (high < 5.45) any "g"', '5.4g other'],
  ];
  it.each(cases)('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, amounts)).toEqual({ ast: `(param size (quantity ${ast}))`, finds });
  });
});
