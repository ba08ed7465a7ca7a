// https://hl7.org/fhir/R4/search.html#number and https://hl7.org/fhir/R4/search.html#quantity
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';

const most = Number.MAX_VALUE;
const risk = (prediction: object) => ({ resourceType: 'RiskAssessment', prediction: [prediction] });
const observation = (rest: object) => ({ resourceType: 'Observation', ...rest });

describe('numbers', () => {
  it.each([
    ['a decimal', { probabilityDecimal: 0.25 }, [[0.25, 0.25]]],
    ['a range', { probabilityRange: { low: { value: 10 }, high: { value: 20.5 } } }, [[10, 20.5]]],
    ['a range without low', { probabilityRange: { high: { value: 20 } } }, [[-most, 20]]],
    ['a range without high', { probabilityRange: { low: { value: 10 } } }, [[10, most]]],
    ['a range without ends', { probabilityRange: { low: { unit: '%' } } }, []],
    ['a range that ends before it starts', { probabilityRange: { low: { value: 2 }, high: { value: 1 } } }, []],
    ['what is no number', { probabilityDecimal: '0.25' }, []],
    ['a number beyond all doubles', { probabilityDecimal: Infinity }, []],
  ])('of %s', (_why, prediction, expected) => {
    const values = read('number', 'RiskAssessment.prediction.probability', risk(prediction));
    expect(values.map(value => value.kind === 'number' && [value.low, value.high])).toEqual(expected);
  });

  it('are points', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), probabilityDecimal => {
        expect(read('number', 'RiskAssessment.prediction.probability', risk({ probabilityDecimal }))).toEqual([
          { kind: 'number', low: probabilityDecimal, high: probabilityDecimal },
        ]);
      }),
    );
  });
});

describe('quantities', () => {
  const kilograms = { system: 'http://unitsofmeasure.org', code: 'kg', unit: 'kilogram' };
  const inGrams = (low: number, high: number) => ({ ...kilograms, canonical: { unit: 'g', low, high } });
  it.each([
    [
      'a Quantity',
      { valueQuantity: { value: 70.5, ...kilograms } },
      [{ low: 70.5, high: 70.5, ...inGrams(70_500, 70_500) }],
    ],
    [
      'less than',
      { valueQuantity: { value: 5, comparator: '<', ...kilograms } },
      [{ low: -most, high: 4.999999999999999, ...inGrams(-most, 4999.999999999999) }],
    ],
    [
      'at most',
      { valueQuantity: { value: 5, comparator: '<=', ...kilograms } },
      [{ low: -most, high: 5, ...inGrams(-most, 5000) }],
    ],
    [
      'more than',
      { valueQuantity: { value: 5, comparator: '>', ...kilograms } },
      [{ low: 5.000000000000001, high: most, ...inGrams(5000.000000000001, most) }],
    ],
    [
      'at least',
      { valueQuantity: { value: 5, comparator: '>=', ...kilograms } },
      [{ low: 5, high: most, ...inGrams(5000, most) }],
    ],
    [
      'a unit only',
      { valueQuantity: { value: 5, unit: 'kg' } },
      [{ low: 5, high: 5, system: undefined, code: undefined, unit: 'kg' }],
    ],
    ['no value', { valueQuantity: kilograms }, []],
    [
      'a Range',
      { valueRange: { low: { value: 1, ...kilograms }, high: { value: 2, ...kilograms } } },
      [{ low: 1, high: 2, ...inGrams(1000, 2000) }],
    ],
    [
      'a Range without low',
      { valueRange: { high: { value: 2, ...kilograms } } },
      [{ low: -most, high: 2, ...inGrams(-most, 2000) }],
    ],
    [
      'SampledData, its smallest and largest value',
      { valueSampledData: { origin: { value: 1, ...kilograms }, factor: 0.1, data: '2 E -1 3' } },
      [{ low: 0.9, high: 1.3, ...inGrams(900, 1300) }],
    ],
    [
      'SampledData with a value below its detection limit',
      { valueSampledData: { origin: { value: 0, ...kilograms }, lowerLimit: 1, data: '2 L 3' } },
      [{ low: -most, high: 3, ...inGrams(-most, 3000) }],
    ],
    [
      'SampledData with a value below its detection limit, and a negative factor',
      { valueSampledData: { origin: { value: 0, ...kilograms }, factor: -1, lowerLimit: 1, data: '2 L 3' } },
      [{ low: -3, high: most, ...inGrams(-3000, most) }],
    ],
    ['SampledData without data', { valueSampledData: { origin: { value: 1 }, period: 1, dimensions: 1 } }, []],
    ['SampledData of errors', { valueSampledData: { origin: { value: 1 }, data: 'E E' } }, []],
    ['a Ratio', { valueRatio: { numerator: { value: 1 } } }, []],
  ])('of %s', (_why, rest, expected) => {
    expect(read('quantity', 'Observation.value', observation(rest))).toEqual(
      expected.map(quantity => ({ kind: 'quantity', ...quantity })),
    );
  });

  it('of an Age are as of any Quantity', () => {
    const condition = {
      resourceType: 'Condition',
      onsetAge: { value: 52, unit: 'a', system: 'http://unitsofmeasure.org', code: 'a' },
    };
    expect(read('quantity', 'Condition.onset.as(Age) | Condition.onset.as(Range)', condition)).toEqual([
      {
        kind: 'quantity',
        low: 52,
        high: 52,
        system: 'http://unitsofmeasure.org',
        code: 'a',
        unit: 'a',
        canonical: { unit: 's', low: 1_640_995_200, high: 1_640_995_200 },
      },
    ]);
  });

  it('of Money have the currency as code', () => {
    const invoice = { resourceType: 'Invoice', totalNet: { value: 40.25, currency: 'CAD' }, totalGross: { value: 48 } };
    expect(read('quantity', 'Invoice.totalNet | Invoice.totalGross', invoice)).toEqual([
      { kind: 'quantity', low: 40.25, high: 40.25, system: 'urn:iso:std:iso:4217', code: 'CAD', unit: 'CAD' },
      { kind: 'quantity', low: 48, high: 48, system: undefined, code: undefined, unit: undefined },
    ]);
  });
});
