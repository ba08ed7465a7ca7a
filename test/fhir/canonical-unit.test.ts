// https://hl7.org/fhir/R4/search.html#quantity and https://ucum.org/ucum
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalUnit } from '../../src/fhir/canonical-unit.ts';
import { dividedBy, exactDecimal, nearestNumber, plus, times } from '../../src/fhir/decimal.ts';
import { convertUnit, ucumSystem } from '../../src/fhir/ucum.ts';

describe('the canonical form of a UCUM unit', () => {
  it.each<[value: number, code: string, canonical: number, unit: string]>([
    [5400, 'mg', 5.4, 'g'],
    [0.1, 'kg', 100, 'g'],
    [1.1, 'L', 0.0011, 'm3'],
    [3, 'ug/L', 0.003, 'g.m-3'],
    [7.1, 'mmol/L', 7.1, 'm-3.mol'],
    [7.1, 'meq/L', 7.1, 'm-3.mol'],
    [1, 'U', 1 / 60e6, 'mol.s-1'],
    [42, 'mmol/mol', 0.042, '1'],
    [120, 'mm[Hg]', 15_998_640, 'g.m-1.s-2'],
    [37, 'Cel', 310.15, 'K'],
    [98.6, '[degF]', 310.15, 'K'],
    [0, '[degRe]', 273.15, 'K'],
    [4.5, '10*3/uL', 4.5e12, 'm-3'],
    [2, '{score}', 2, '1'],
    [50, '%', 0.5, '1'],
    [-3, 'mo', -7_889_400, 's'],
  ])('of %s %s is %s %s', (value, code, canonical, unit) => {
    const found = canonicalUnit(ucumSystem, code);
    expect([found?.unit, found?.convert(value)]).toEqual([unit, canonical]);
  });

  it.each<[value: number, code: string, same: number, other: string]>([
    [72, '/min', 4320, '/h'],
    [1, '/h', 24, '/d'],
    [7, 'mL/h', 168, 'mL/d'],
    [1, 'mg/kg/h', 24, 'mg/kg/d'],
    [1, 'L/min', 60, 'L/h'],
    [1, 'deg', 60, "'"],
    [12, '[in_us]', 1, '[ft_us]'],
    [1, 'U/L', 60, 'umol/h/L'],
    [1, 'km/h', 24, 'km/d'],
    [1, '10*3/uL', 1, '10*9/L'],
    [100, 'kcal/(24.h)', 100, 'kcal/d'],
    [3, '/wk', 3 / 7, '/d'],
  ])('of %s %s is that of %s %s', (value, code, same, other) => {
    const [one, two] = [canonicalUnit(ucumSystem, code), canonicalUnit(ucumSystem, other)];
    expect(one?.unit).toBe(two?.unit);
    expect(one?.convert(value)).toBe(two?.convert(same));
  });

  it('keeps substances apart from counts', () => {
    expect(canonicalUnit(ucumSystem, 'mmol/L')?.unit).not.toBe(canonicalUnit(ucumSystem, '10*3/uL')?.unit);
  });

  it('does not exist for a number of more than 1,000 digits', () => {
    expect(canonicalUnit(ucumSystem, '[pi]99/[pi]98')).toBeUndefined();
  });

  it.each(['[iU]', 'k[iU]/L', '[pH]', 'dB', 'mCel', 'grams', '', 'constructor', 'a'.repeat(300)])(
    'does not exist for `%s`',
    code => expect(canonicalUnit(ucumSystem, code)).toBeUndefined(),
  );

  it('does not exist for a code of another system', () => {
    expect(canonicalUnit('http://other', 'mg')).toBeUndefined();
    expect(canonicalUnit(undefined, 'mg')).toBeUndefined();
    expect(canonicalUnit(ucumSystem, undefined)).toBeUndefined();
  });

  it('leaves the ends of the range of numbers', () => {
    const kilograms = canonicalUnit(ucumSystem, 'kg');
    expect(kilograms?.convert(Number.MAX_VALUE)).toBe(Number.MAX_VALUE);
    expect(kilograms?.convert(-Number.MAX_VALUE)).toBe(-Number.MAX_VALUE);
    expect(kilograms?.convert(1e308)).toBe(Number.MAX_VALUE);
    expect(kilograms?.convert(Infinity)).toBe(Infinity);
    expect(kilograms?.convert(-Infinity)).toBe(-Infinity);
  });

  const amount = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
  const canonical = (value: number, code: string): number => canonicalUnit(ucumSystem, code)?.convert(value) ?? NaN;

  it('keeps the order of values', () => {
    const codes = ['mg', 'ug', '[lb_av]', 'Cel', '[degF]', 'mmol/L', '[in_i]', 'mm[Hg]'];
    fc.assert(
      fc.property(fc.constantFrom(...codes), amount, amount, (code, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(canonical(low, code)).toBeLessThanOrEqual(canonical(high, code));
      }),
    );
  });

  it('agrees with the library on temperatures', () => {
    fc.assert(
      fc.property(fc.constantFrom('Cel', '[degF]'), amount, (code, value) => {
        expect(canonical(value, code)).toBeCloseTo(convertUnit(value, code, 'K') ?? NaN, 3);
      }),
    );
  });
});

it('decimals are exact', () => {
  expect(nearestNumber(times(exactDecimal(0.1), exactDecimal(3)))).toBe(0.3);
  expect(nearestNumber(plus(exactDecimal(0.1), exactDecimal(0.2)))).toBe(0.3);
  expect(nearestNumber(dividedBy(exactDecimal(1), exactDecimal(3)))).toBe(1 / 3);
  expect(nearestNumber(exactDecimal(-1.5e-300))).toBe(-1.5e-300);
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), value => {
      expect(nearestNumber(exactDecimal(value))).toBe(value === 0 ? 0 : value);
    }),
  );
});
