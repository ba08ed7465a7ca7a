// https://hl7.org/fhir/R4/search.html#number
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/fhir/decimal.ts';

describe('parseDecimal', () => {
  it.each([
    ['100', 100, 99.5, 100.5, true],
    ['100.00', 100, 99.995, 100.005, false],
    ['1e2', 100, 95, 105, false],
    ['5.4', 5.4, 5.35, 5.45, false],
    ['5.40e-3', 0.0054, 0.005395, 0.005405, false],
    ['-2', -2, -2.5, -1.5, true],
    ['0', 0, -0.5, 0.5, true],
    ['0.10', 0.1, 0.095, 0.105, false],
    ['12E+1', 120, 119.5, 120.5, false],
  ] as const)('reads %s', (text, value, low, high, integer) => {
    expect(parseDecimal(text)).toEqual({ value, low, high, integer });
  });

  it.each(['', '.5', '5.', '+1', '007', '1e', 'NaN', 'Infinity', '0x10', '1_000', ' 1', '1,5', '--1'])(
    'does not read `%s`',
    text => {
      expect(parseDecimal(text)).toBeUndefined();
    },
  );

  it.each(['1e999', '-1e999', '1e-400', '-1e-400', `0.${'0'.repeat(400)}1`])('reads no number in place of %s', text => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it.each(['0', '0.000', '0e-400', '-0', '5e-324'])('reads %s', text => {
    expect(parseDecimal(text)?.value).toBe(Number(text));
  });

  it('always has the value inside of its interval', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), number => {
        const { value, low, high } = parseDecimal(String(number).replace('e+', 'e')) ?? { value: NaN, low: 0, high: 0 };
        expect(value).toBe(Number(String(number)));
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThan(value);
      }),
    );
  });

  it('reads a number of a million digits without delay', () => {
    expect(parseDecimal(`0.${'3'.repeat(1_000_000)}`)?.value).toBeCloseTo(1 / 3);
  });
});
