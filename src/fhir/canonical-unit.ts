import { Cache } from '../limits/cache.ts';
import { dividedBy, type ExactDecimal, exactDecimal, nearestNumber, plus, times } from './decimal.ts';
import { baseUnits, ucumSystem } from './ucum.ts';

/** The base units of a UCUM unit, and how values are converted to them. */
export interface CanonicalUnit {
  /** Such as `g.m-3`; `1` for a number. */
  readonly unit: string;
  /** An end of the range of numbers (`Number.MAX_VALUE`) stays it, and so does an infinite end. */
  convert(value: number): number;
}

/**
 * The canonical form of a unit, by which quantities in different units are compared: `5400 mg` is `5.4 g`. Decimals are
 * converted without rounding. Undefined for another system, for no unit of UCUM, and for units that have no place on a
 * common scale: arbitrary ones (`[iU]`), and special ones other than temperatures (`[pH]`, `dB`).
 * https://hl7.org/fhir/R4/search.html#quantity
 */
export function canonicalUnit(system: string | undefined, code: string | undefined): CanonicalUnit | undefined {
  if (system !== ucumSystem || code === undefined || code === '') return undefined;
  const known = units.get(code);
  if (known !== undefined) return known.is;
  const is = make(code);
  units.put(code, { is });
  return is;
}

const units = new Cache<{ readonly is: CanonicalUnit | undefined }>(2_000);

/** Kelvin is (value + offset) × factor / divisor. https://ucum.org/ucum#para-temperature */
const temperatures: ReadonlyMap<string, readonly [offset: number, factor: number, divisor: number]> = new Map([
  ['Cel', [273.15, 1, 1]],
  ['[degF]', [459.67, 5, 9]],
  ['[degRe]', [218.52, 5, 4]],
]);

function make(code: string): CanonicalUnit | undefined {
  const base = baseUnits(code);
  if (base === undefined) return undefined;
  const unit =
    base.exponents.map(([name, exponent]) => (exponent === 1 ? name : `${name}${exponent}`)).join('.') || '1';
  if (base.isSpecial && !temperatures.has(code)) return undefined;
  const [offset, ...ratio] = temperatures.get(code) ?? [0];
  const [factor = base.magnitude.above, divisor = base.magnitude.below] = ratio.map(exactDecimal);
  const start = exactDecimal(offset);
  const exact = (value: number): ExactDecimal => times(plus(exactDecimal(value), start), factor);
  return {
    unit,
    convert: value => (Math.abs(value) >= Number.MAX_VALUE ? value : nearestNumber(dividedBy(exact(value), divisor))),
  };
}
