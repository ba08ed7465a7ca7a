import { describe, expect, it } from 'vitest';
import { checkDigit, healthNumber } from '../../src/demo/patient.ts';

describe('health number', () => {
  it.each([
    ['7992739871', '3'], // the example of the Luhn formula's own description
    ['401288888888188', '1'], // a card number for tests that every payment service documents
    ['000000000', '0'],
  ])('has as check digit of %s the %s', (digits, digit) => {
    expect(checkDigit(digits)).toBe(digit);
  });

  it('has ten digits, does not begin with 0 and is different for each index', () => {
    const numbers = Array.from({ length: 20_000 }, (_, index) => healthNumber(index * 37));
    for (const number of numbers) expect(number).toMatch(/^[1-9]\d{9}$/);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
