import { placeOf } from './json-place.ts';

export { compactJson, prettyJson } from './json-layout.ts';

/** A JSON text, read: its value, and what the value cannot tell about the text. */
export interface ParsedJson {
  readonly value: unknown;
  readonly decimals: Decimals;
  /** True where no white space stands outside of strings. */
  readonly compact: boolean;
}

/**
 * Texts of the numbers that `String(number)` prints otherwise (`1.10`, `1e2`, `12345678901234567890`): the object or array
 * that holds the number → property name or index → text.
 */
export type Decimals = ReadonlyMap<object, Readonly<Record<string, string>>>;

/** A text that is not strict JSON: what is wrong, and where. */
export class JsonError extends Error {
  /** `$.name[0].given`; `$` is the whole. */
  readonly path: string;
  /** Line and column count from 1; the column counts characters as UTF-16 units. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, path: string, line: number, column: number) {
    super(message);
    this.name = 'JsonError';
    this.path = path;
    this.line = line;
    this.column = column;
  }
}

/** How deep objects and arrays may nest. */
export const maxLevels = 64;

/**
 * Reads a JSON text in one pass. Throws `JsonError` for anything but RFC 8259 and, beyond it, for duplicate property
 * names, lone surrogates, the character U+0000, a byte order mark and more than 64 levels: where JSON readers disagree, what
 * was checked would not be what is stored. The value is what JSON.parse makes; a property `__proto__` becomes an own one.
 * https://hl7.org/fhir/R4/json.html
 */
export function parseJson(text: string): ParsedJson {
  source = text;
  end = text.length;
  position = 0;
  level = 0;
  compact = true;
  decimals = undefined;
  try {
    if (!text.isWellFormed())
      fail('A surrogate stands alone here: the text is not valid Unicode.', loneSurrogate(text));
    const value = readValue(skipSpace());
    if (skipSpace() !== -1) fail('The text goes on after the end of the JSON value.');
    return { value, decimals: decimals ?? noDecimals, compact };
  } finally {
    source = '';
    decimals = undefined;
  }
}

/** The text of a number as it was written; `value` is the number that stands at `parent[key]`. */
export function decimalText(decimals: Decimals, parent: object, key: string | number, value: number): string {
  return decimals.get(parent)?.[key] ?? String(value);
}

const noDecimals: Decimals = new Map();

// The parser's state: parseJson is synchronous and does not call itself, and module variables are the fastest to reach.
let source = '';
let end = 0;
let position = 0;
let level = 0;
let compact = true;
let decimals: Map<object, Record<string, string>> | undefined;

/** Moves past white space; gives the character code there, -1 at the end. */
function skipSpace(): number {
  if (position >= end) return -1;
  let code = source.charCodeAt(position);
  if (code > 0x20) return code;
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
    compact = false;
    position++;
    if (position >= end) return -1;
    code = source.charCodeAt(position);
  }
  return code;
}

/** Reads the value that begins with `code`; numbers are read by `readNumber`, since they need their parent. */
function readValue(code: number): unknown {
  switch (code) {
    case 0x22:
      return readString();
    case 0x7b:
      return readObject();
    case 0x5b:
      return readArray();
    case 0x74:
      return readWord('true', true);
    case 0x66:
      return readWord('false', false);
    case 0x6e:
      return readWord('null', null);
    default:
      if (isNumberStart(code)) return readNumber(undefined, '');
      return fail(unexpected(code, 'a value'));
  }
}

const isNumberStart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d;

function readWord<T>(word: string, value: T): T {
  if (!source.startsWith(word, position)) fail(`Only \`true\`, \`false\` and \`null\` may stand here without quotes.`);
  position += word.length;
  return value;
}

function readObject(): object {
  if (++level > maxLevels) fail(`Objects and arrays nest more than ${maxLevels} levels deep.`);
  const object: Record<string, unknown> = {};
  position++;
  let code = skipSpace();
  if (code === 0x7d) {
    position++;
    level--;
    return object;
  }
  for (;;) {
    if (code !== 0x22) fail(unexpected(code, 'a property name in double quotes'));
    const nameAt = position;
    const name = readName();
    if (object[name] !== undefined && Object.hasOwn(object, name)) {
      fail(`The property \`${shorten(name)}\` is given twice in one object.`, nameAt);
    }
    if (skipSpace() !== 0x3a) fail(unexpected(skipSpace(), 'a colon'));
    position++;
    code = skipSpace();
    const value = code === 0x22 ? readString() : isNumberStart(code) ? readNumber(object, name) : readValue(code);
    // Plain assignment to `__proto__` would set the prototype instead.
    if (name === '__proto__') {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    } else object[name] = value;
    code = skipSpace();
    position++;
    if (code === 0x2c) {
      code = skipSpace();
      continue;
    }
    if (code === 0x7d) {
      level--;
      return object;
    }
    position--;
    fail(unexpected(code, 'a comma or `}`'));
  }
}

function readArray(): unknown[] {
  if (++level > maxLevels) fail(`Objects and arrays nest more than ${maxLevels} levels deep.`);
  const array: unknown[] = [];
  position++;
  let code = skipSpace();
  if (code === 0x5d) {
    position++;
    level--;
    return array;
  }
  for (;;) {
    array.push(isNumberStart(code) ? readNumber(array, String(array.length)) : readValue(code));
    code = skipSpace();
    position++;
    if (code === 0x2c) {
      code = skipSpace();
      continue;
    }
    if (code === 0x5d) {
      level--;
      return array;
    }
    position--;
    fail(unexpected(code, 'a comma or `]`'));
  }
}

// Names seen before, by length and two characters: comparing in place saves making and hashing a string for each property.
const names: string[] = Array.from({ length: 4096 }, () => '');

function readName(): string {
  const start = position + 1;
  const close = source.indexOf('"', start);
  const length = close - start;
  if (length <= 0 || length > 40) return readString();
  const slot =
    (length * 131 +
      source.charCodeAt(start) * 31 +
      source.charCodeAt(close - 1) * 17 +
      source.charCodeAt(start + (length >> 1)) * 7) &
    4095;
  const known = names[slot] as string; // the array is full and the slot within it
  if (known.length === length && source.startsWith(known, start)) {
    position = close + 1;
    return known;
  }
  const name = readString();
  if (name.length === length) names[slot] = name;
  return name;
}

function readString(): string {
  const text = source;
  const start = ++position;
  let at = start;
  for (; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      position = at + 1;
      return text.slice(start, at);
    }
    if (code === 0x5c) {
      position = at;
      return readEscaped(text.slice(start, at));
    }
    if (code < 0x20) failControl(code, at);
  }
  return fail('The text ends within a string.', end);
}

/** The rest of a string from its first backslash on. */
function readEscaped(before: string): string {
  let result = before;
  for (;;) {
    // At a backslash.
    const code = source.charCodeAt(position + 1);
    if (code === 0x75) result += readUnicode();
    else {
      const character = escapes[code];
      if (character === undefined)
        fail('This escape does not exist in JSON: after a backslash comes one of `"\\/bfnrtu`.');
      result += character;
      position += 2;
    }
    const start = position;
    let at = start;
    for (; at < end; at++) {
      const next = source.charCodeAt(at);
      if (next === 0x22 || next === 0x5c) break;
      if (next < 0x20) failControl(next, at);
    }
    if (at >= end) fail('The text ends within a string.', end);
    if (at > start) result += source.slice(start, at);
    position = at;
    if (source.charCodeAt(at) === 0x22) {
      position = at + 1;
      return result;
    }
  }
}

const escapes: Record<number, string> = {
  0x22: '"',
  0x5c: '\\',
  0x2f: '/',
  0x62: '\b',
  0x66: '\f',
  0x6e: '\n',
  0x72: '\r',
  0x74: '\t',
};

/** A `\uXXXX`, or two that make a surrogate pair; position is at the backslash and moves behind. */
function readUnicode(): string {
  const at = position;
  const first = readHex(at);
  if (first === 0) fail('The character U+0000 is not allowed.', at);
  position = at + 6;
  if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
  if (first < 0xdc00 && source.charCodeAt(position) === 0x5c && source.charCodeAt(position + 1) === 0x75) {
    const second = readHex(position);
    if (second >= 0xdc00 && second <= 0xdfff) {
      position += 6;
      return String.fromCharCode(first, second);
    }
  }
  return fail('A surrogate stands alone here: `\\ud800` to `\\udbff` must be followed by `\\udc00` to `\\udfff`.', at);
}

function readHex(at: number): number {
  let value = 0;
  for (let index = at + 2; index < at + 6; index++) {
    const code = source.charCodeAt(index);
    const digit =
      code >= 0x30 && code <= 0x39
        ? code - 0x30
        : code >= 0x61 && code <= 0x66
          ? code - 0x57
          : code >= 0x41 && code <= 0x46
            ? code - 0x37
            : -1;
    if (digit < 0) fail('`\\u` must be followed by four hexadecimal digits.', at);
    value = value * 16 + digit;
  }
  return value;
}

const powersOfTen = Array.from({ length: 16 }, (_, index) => 10 ** index);

/**
 * Reads a number and, where `String(number)` would not print its text, keeps the text under `parent` and `key`. Up to 15
 * digits are exact as an integer divided by a power of ten, and then print as they were written unless they end in a zero.
 */
function readNumber(parent: object | undefined, key: string): number {
  const start = position;
  let at = start;
  let code = source.charCodeAt(at);
  const negative = code === 0x2d;
  if (negative) code = source.charCodeAt(++at);
  if (!(code >= 0x30 && code <= 0x39)) fail('A minus sign must be followed by a digit.', at);
  const firstDigit = at;
  let mantissa = 0;
  while (code >= 0x30 && code <= 0x39) {
    mantissa = mantissa * 10 + (code - 0x30);
    code = source.charCodeAt(++at);
  }
  let digits = at - firstDigit;
  if (digits > 1 && source.charCodeAt(firstDigit) === 0x30)
    fail('A number must not begin with a zero before other digits.', start);
  let fraction = 0;
  let plain = true;
  if (code === 0x2e) {
    const dot = at;
    code = source.charCodeAt(++at);
    while (code >= 0x30 && code <= 0x39) {
      mantissa = mantissa * 10 + (code - 0x30);
      code = source.charCodeAt(++at);
    }
    fraction = at - dot - 1;
    if (fraction === 0) fail('The decimal point of a number must be followed by a digit.', at);
    digits += fraction;
    plain = source.charCodeAt(at - 1) !== 0x30;
  }
  if (code === 0x65 || code === 0x45) {
    code = source.charCodeAt(++at);
    if (code === 0x2b || code === 0x2d) code = source.charCodeAt(++at);
    const exponent = at;
    while (code >= 0x30 && code <= 0x39) code = source.charCodeAt(++at);
    if (at === exponent) fail('The exponent of a number needs a digit.', at);
    plain = false;
  }
  position = at;
  if (plain && digits <= 15 && mantissa !== 0 && fraction <= 6) {
    const value = fraction === 0 ? mantissa : mantissa / (powersOfTen[fraction] as number); // fraction is at most 6
    return negative ? -value : value;
  }
  const text = source.slice(start, at);
  const value = Number(text);
  if (String(value) !== text && parent !== undefined) keepText(parent, key, text);
  return value;
}

function keepText(parent: object, key: string, text: string): void {
  decimals ??= new Map();
  let texts = decimals.get(parent);
  if (texts === undefined) {
    texts = Object.create(null) as Record<string, string>; // keys come from outside
    decimals.set(parent, texts);
  }
  texts[key] = text;
}

function fail(message: string, at = position): never {
  const place = placeOf(source, at);
  throw new JsonError(message, place.path, place.line, place.column);
}

function failControl(code: number, at: number): never {
  if (code === 0) fail('The character U+0000 is not allowed.', at);
  const hex = code.toString(16).padStart(4, '0');
  fail(`The control character U+${hex.toUpperCase()} must be written as \`\\u${hex}\` within a string.`, at);
}

function unexpected(code: number, wanted: string): string {
  if (code === -1) return `The text ends where ${wanted} should stand.`;
  if (code === 0xfeff) return 'The text begins with a byte order mark: send it without.';
  if (code === 0) return 'The character U+0000 is not allowed.';
  const found =
    code < 0x20
      ? `U+${code.toString(16).padStart(4, '0').toUpperCase()}`
      : String.fromCodePoint(source.codePointAt(position) ?? 0x20);
  return `\`${found}\` stands where ${wanted} should stand.`;
}

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) return at;
  }
  return 0;
}
