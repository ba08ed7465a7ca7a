/** A decimal number of any size: `digits` times ten to the power of `exponent`. */
export interface ExactDecimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal that denotes a finite number, which is how JSON writes it. */
export function exactDecimal(value: number): ExactDecimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
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

/** The quotient by a whole number, to 30 more digits than the dividend has. */
export function dividedBy({ digits, exponent }: ExactDecimal, divisor: bigint): ExactDecimal {
  return divisor === 1n ? { digits, exponent } : { digits: (digits * 10n ** 30n) / divisor, exponent: exponent - 30 };
}

/** The nearest number; the largest for one beyond the range of numbers. */
export function nearestNumber({ digits, exponent }: ExactDecimal): number {
  const value = Number(`${digits}e${exponent}`);
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}
