/** A decimal number of any size: `digits` times ten to the power of `exponent`. */
export interface ExactDecimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that denotes a finite number, which is how JSON writes it. */
export function exactDecimal(value: number): ExactDecimal {
  return decimalOf(String(value));
}

/** The value of a decimal in digits, with an exponent or without: `133.322`, `254e-2`. */
export function decimalOf(text: string): ExactDecimal {
  const [mantissa = '0', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

export function times(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return { digits: a.digits * b.digits, exponent: a.exponent + b.exponent };
}

export function plus(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const exponent = Math.min(a.exponent, b.exponent);
  const digitsOf = (one: ExactDecimal): bigint => one.digits * 10n ** BigInt(one.exponent - exponent);
  return { digits: digitsOf(a) + digitsOf(b), exponent };
}

/** The quotient, to 30 significant digits or more. */
export function dividedBy(value: ExactDecimal, divisor: ExactDecimal): ExactDecimal {
  const exponent = value.exponent - divisor.exponent;
  if (divisor.digits === 1n) return { digits: value.digits, exponent };
  const more = 30 + divisor.digits.toString().length;
  return { digits: (value.digits * 10n ** BigInt(more)) / divisor.digits, exponent: exponent - more };
}

/** The nearest number; the largest for one beyond the range of numbers. */
export function nearestNumber({ digits, exponent }: ExactDecimal): number {
  const value = Number(`${digits}e${exponent}`);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

/** A decimal with the precision of its text. */
export interface Decimal {
  readonly value: number;
  /** The numbers that round to it, [low, high): half a unit of its last digit on either side. */
  readonly low: number;
  readonly high: number;
  /** Written without point and exponent. */
  readonly integer: boolean;
}

/**
 * Parses a FHIR decimal with its implied precision: `5.4` is [5.35, 5.45), `5.40` is [5.395, 5.405), `5.40e-3` is
 * [0.005395, 0.005405). The digits of an exponent form count as written, except that one without a point has one more,
 * as in the standard's own `1e2`, which is [95, 105). Undefined for invalid decimals (`.5`, `+1`, `007`) and those that
 * no double is near: too large ones, and `1e-400`, which is not 0. https://hl7.org/fhir/R4/search.html#number
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  const value = Number(text);
  if (match === null || !Number.isFinite(value)) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent] = match;
  const places = fraction === '' && exponent !== undefined ? '0' : fraction;
  // Digits beyond the hundredth change no double and would cost.
  const digits = (whole + places).slice(0, 100);
  if (value === 0 && /[1-9]/.test(whole + places)) return undefined;
  const dropped = whole.length + places.length - digits.length;
  const unit = Number(exponent ?? '0') - places.length + dropped;
  const tenfold = BigInt(`${sign}${digits}0`);
  const low = Number(`${tenfold - 5n}e${unit - 1}`);
  const high = Number(`${tenfold + 5n}e${unit - 1}`);
  return {
    value,
    low,
    // If half a unit is finer than a double, the interval must still contain the value.
    high: high > value ? high : value + Math.max(Math.abs(value) * Number.EPSILON, Number.MIN_VALUE),
    integer: fraction === '' && exponent === undefined,
  };
}
