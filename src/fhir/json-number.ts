import { CursorError } from './cursor-error.ts';

/** Further results of `scanNumber`; overwritten by each call, so that no object is allocated. */
export const scanned: { end: number; text: string | undefined } = { end: 0, text: undefined };

const powersOfTen = [1, 10, 100, 1e3, 1e4, 1e5, 1e6];

/**
 * The number that begins at `start`: `scanned.end` is the position after it, and `scanned.text` is its text if
 * `String(number)` prints another one. Up to 15 digits are exact as an integer divided by a power of ten, and then
 * print as written unless they end in a zero. Throws CursorError for an invalid JSON number.
 */
export function scanNumber(text: string, start: number): number {
  let at = start;
  let code = text.charCodeAt(at);
  const negative = code === 0x2d;
  if (negative) code = text.charCodeAt(++at);
  if (!isDigit(code)) throw new CursorError('A minus sign must be followed by a digit.', at);
  const firstDigit = at;
  let mantissa = 0;
  for (; isDigit(code); code = text.charCodeAt(++at)) mantissa = mantissa * 10 + (code - 0x30);
  let digits = at - firstDigit;
  if (digits > 1 && text.charCodeAt(firstDigit) === 0x30) {
    throw new CursorError('A number must not begin with a zero before other digits.', start);
  }
  let fraction = 0;
  let plain = true;
  if (code === 0x2e) {
    const dot = at;
    code = text.charCodeAt(++at);
    for (; isDigit(code); code = text.charCodeAt(++at)) mantissa = mantissa * 10 + (code - 0x30);
    fraction = at - dot - 1;
    if (fraction === 0) throw new CursorError('The decimal point of a number must be followed by a digit.', at);
    digits += fraction;
    plain = text.charCodeAt(at - 1) !== 0x30;
  }
  if (code === 0x65 || code === 0x45) {
    code = text.charCodeAt(++at);
    if (code === 0x2b || code === 0x2d) code = text.charCodeAt(++at);
    const exponent = at;
    while (isDigit(code)) code = text.charCodeAt(++at);
    if (at === exponent) throw new CursorError('The exponent of a number needs a digit.', at);
    plain = false;
  }
  scanned.end = at;
  scanned.text = undefined;
  if (plain && digits <= 15 && mantissa !== 0 && fraction <= 6) {
    const value = mantissa / (powersOfTen[fraction] as number); // fraction is at most 6
    return negative ? -value : value;
  }
  const written = text.slice(start, at);
  const value = Number(written);
  if (String(value) !== written) scanned.text = written;
  return value;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
