/**
 * An Ontario health number: ten digits, the first not 0, the last a check digit by the Luhn formula (mod 10). Different
 * numbers below 900 million give different health numbers.
 */
export function healthNumber(index: number): string {
  const nine = String(100_000_000 + ((index * 472_882_027) % 900_000_000));
  return nine + checkDigit(nine);
}

/** The digit that makes the whole pass the Luhn formula. https://en.wikipedia.org/wiki/Luhn_algorithm */
export function checkDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const doubled = Number(digits.at(-1 - place)) * (place % 2 === 0 ? 2 : 1);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return String((10 - (sum % 10)) % 10);
}
