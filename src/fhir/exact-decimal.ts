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
