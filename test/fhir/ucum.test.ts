import { describe, expect, it } from 'vitest';
import { convertUnit, isUcumCode } from '../../src/fhir/ucum.ts';
import { asObject, objectsOf } from '../../src/fhir/json-object.ts';
import { readExample } from '../validation/profile/support/examples.ts';

// Units of measure: https://ucum.org/ucum

describe('codes of UCUM', () => {
  it('are all those that R4 publishes as common', () => {
    const { include } = asObject(readExample('ValueSet-ucum-common')['compose']);
    const codes = objectsOf(include).flatMap(({ concept }) => objectsOf(concept).map(({ code }) => String(code)));
    expect(codes.length).toBe(1_364);
    expect(codes.filter(code => !isUcumCode(code))).toEqual([]);
  });

  it.each(['1', '%', 'mg', '/min', '10*3/uL', '10^6', 'm[H2O]', "[in_i'H2O]", '(mg/L).m2', 'm-2', '{score}', 'm{}'])(
    '%s is one',
    code => expect(isUcumCode(code)).toBe(true),
  );

  it.each<[title: string, code: string]>([
    ['nothing', ''],
    ['a name', 'kilogram'],
    ['another case', 'KG'],
    ['a unit of another system', 'mcg'],
    ['a unit without its brackets', 'mmHg'],
    ['a blank before it', ' mg'],
    ['a blank behind it', 'mg '],
    ['an operator at the end', 'mg/'],
    ['two operators', 'mg//dL'],
    ['a point at the beginning', '.m'],
    ['a parenthesis that is not closed', '(m'],
    ['a parenthesis that is not open', 'm)'],
    ['nothing within parentheses', '()'],
    ['a number before its unit', '12m'],
    ['two annotations', 'm{a}{b}'],
    ['an annotation that is not closed', '{score'],
    ['a character beyond ASCII', 'µg'],
    ['the name of a property of every object', 'constructor'],
    ['another one', '__proto__'],
    ['more characters than any has', 'm.'.repeat(100) + 'm'],
  ])('%s is none', (_title, code) => {
    expect(isUcumCode(code)).toBe(false);
  });
});

describe('values', () => {
  it.each<[value: number, from: string, to: string, expected: number | undefined]>([
    [1, 'kg', 'g', 1_000],
    [37, 'Cel', '[degF]', 98.6],
    [98.6, '[degF]', 'Cel', 37],
    [10, '[lb_av]', 'kg', 4.5359237],
    [5, '10*3/uL', '10*9/L', 5],
    [60, '{beats}/min', '/s', 1],
    [7, '{score}', '1', 7],
    [7, '{score}', '{score}', 7],
    [1, 'mg', 'mL', undefined],
    [1, 'mmol/L', 'mg/dL', undefined],
    [1, 'mcg', 'mg', undefined],
    [1, 'mg', 'mcg', undefined],
  ])('%d %s in %s', (value, from, to, expected) => {
    const found = convertUnit(value, from, to);
    expect(found === undefined ? found : Number(found.toPrecision(12))).toBe(expected);
  });
});
