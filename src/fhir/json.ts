import { controlCharacter, errorAt, loneSurrogate, noNul, unexpected } from './json-error.ts';
import { scanNumber, scanned } from './json-number.ts';

export { JsonError } from './json-error.ts';
export { compactJson, prettyJson } from './json-layout.ts';

/** A parsed JSON text: its value, and the properties of the text that the value lacks. */
export interface ParsedJson {
  readonly value: unknown;
  readonly decimals: Decimals;
  /** True without white space outside of strings. */
  readonly compact: boolean;
}

/**
 * Texts of the numbers that `String(number)` prints otherwise (`1.10`, `1e2`, `12345678901234567890`): the object or
 * array that contains the number → property name or index → text.
 */
export type Decimals = ReadonlyMap<object, Readonly<Record<string, string>>>;

/** Maximum nesting of objects and arrays. */
export const maxLevels = 64;

/**
 * Parses a JSON text in one pass. Throws `JsonError` for anything but RFC 8259 and, beyond it, for duplicate property
 * names, lone surrogates, the character U+0000, a byte order mark and more than 64 levels: where JSON parsers disagree,
 * the checked content could differ from the stored one. The value is that of JSON.parse; a property `__proto__` becomes
 * an own one. https://hl7.org/fhir/R4/json.html
 */
export function parseJson(text: string): ParsedJson {
  source = text;
  end = text.length;
  position = 0;
  level = 0;
  compact = true;
  decimals = undefined;
  try {
    if (!text.isWellFormed()) fail('Lone surrogate: the text is not valid Unicode.', loneSurrogate(text));
    const value = readValue(skipSpace());
    if (skipSpace() !== -1) fail('The text continues after the end of the JSON value.');
    return { value, decimals: decimals ?? noDecimals, compact };
  } finally {
    source = '';
    decimals = undefined;
  }
}

/** The text of a number as written; `value` is the number at `parent[key]`. */
export function decimalText(decimals: Decimals, parent: object, key: string | number, value: number): string {
  return decimals.get(parent)?.[key] ?? String(value);
}

const noDecimals: Decimals = new Map();

// The parser's state: parseJson is synchronous and not reentrant, and module variables are the fastest to access.
let source = '';
let end = 0;
let position = 0;
let level = 0;
let compact = true;
let decimals: Map<object, Record<string, string>> | undefined;

/** Skips white space; returns the character code there, -1 at the end. */
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
      return failHere(code, 'a value');
  }
}

const isNumberStart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d;

function readWord<T>(word: string, value: T): T {
  if (!source.startsWith(word, position))
    fail(`Only \`true\`, \`false\` and \`null\` are allowed here without quotes.`);
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
    if (code !== 0x22) failHere(code, 'a property name in double quotes');
    const nameAt = position;
    const name = readName();
    if (object[name] !== undefined && Object.hasOwn(object, name)) {
      fail(`The property \`${name.slice(0, 60)}\` is repeated in one object.`, nameAt);
    }
    if (skipSpace() !== 0x3a) failHere(skipSpace(), 'a colon');
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
    failHere(code, 'a comma or `}`');
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
    failHere(code, 'a comma or `]`');
  }
}

// Known names, by length and two characters: comparing in place avoids allocating and hashing a string for each
// property.
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
    if (code < 0x20) fail(controlCharacter(code), at);
  }
  return fail('The text ends within a string.', end);
}

/** The rest of a string from its first backslash on. */
function readEscaped(before: string): string {
  let result = before;
  for (;;) {
    // At a backslash.
    if (source.charCodeAt(position + 1) === 0x75) result += readUnicode();
    else {
      const character = meanings[escapes.indexOf(source.charAt(position + 1))];
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
      if (next < 0x20) fail(controlCharacter(next), at);
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

/** The characters after a backslash, and their meanings. */
const escapes = '"\\/bfnrt';
const meanings = '"\\/\b\f\n\r\t';

/** A `\uXXXX`, or two that form a surrogate pair; position is at the backslash and moves past it. */
function readUnicode(): string {
  const at = position;
  const first = readHex(at);
  if (first === 0) fail(noNul, at);
  position = at + 6;
  if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
  if (first < 0xdc00 && source.charCodeAt(position) === 0x5c && source.charCodeAt(position + 1) === 0x75) {
    const second = readHex(position);
    if (second >= 0xdc00 && second <= 0xdfff) {
      position += 6;
      return String.fromCharCode(first, second);
    }
  }
  return fail('Lone surrogate: `\\ud800` to `\\udbff` must be followed by `\\udc00` to `\\udfff`.', at);
}

function readHex(at: number): number {
  const digits = source.slice(at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits)
    ? Number.parseInt(digits, 16)
    : fail('`\\u` must be followed by four hexadecimal digits.', at);
}

/** Parses a number and, if `String(number)` would not print its text, stores the text under `parent` and `key`. */
function readNumber(parent: object | undefined, key: string): number {
  const value = scanNumber(source, position);
  position = scanned.end;
  if (scanned.text !== undefined && parent !== undefined) keepText(parent, key, scanned.text);
  return value;
}

function keepText(parent: object, key: string, text: string): void {
  decimals ??= new Map();
  const texts = decimals.get(parent) ?? (Object.create(null) as Record<string, string>); // keys come from clients
  decimals.set(parent, texts);
  texts[key] = text;
}

function fail(message: string, at = position): never {
  throw errorAt(source, at, message);
}

/** Fails with the character here and the expected one. */
function failHere(code: number, wanted: string): never {
  fail(unexpected(source, position, code, wanted));
}
