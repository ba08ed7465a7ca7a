import { CursorError, controlCharacter, escapeMeaning, fourDigits, noNul, noSuchEscape } from './cursor-error.ts';

/**
 * A position in a JSON text that has not been checked, and the strict reading of its strings: every rule of RFC 8259,
 * without U+0000 and lone surrogates. The functions below skip tokens of a valid text, from one position to the next.
 * Both throw CursorError. https://www.rfc-editor.org/rfc/rfc8259#section-7
 */
export class TextCursor {
  readonly text: string;
  at: number;
  /** True once white space was skipped. */
  spaced = false;

  constructor(text: string, at = 0) {
    this.text = text;
    this.at = at;
  }

  /** Skips white space; returns the character code there, -1 at the end. */
  skipSpace(): number {
    const { text } = this;
    let at = this.at;
    if (at >= text.length) return -1;
    let code = text.charCodeAt(at);
    if (code > 0x20) return code;
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.spaced = true;
      at++;
      if (at >= text.length) {
        this.at = at;
        return -1;
      }
      code = text.charCodeAt(at);
    }
    this.at = at;
    return code;
  }

  /** Reads the property name whose opening quote is here. */
  readName(): string {
    const { text } = this;
    const start = this.at + 1;
    const close = text.indexOf('"', start);
    const length = close - start;
    if (length <= 0 || length > 40) return this.readString();
    const slot =
      (length * 131 +
        text.charCodeAt(start) * 31 +
        text.charCodeAt(close - 1) * 17 +
        text.charCodeAt(start + (length >> 1)) * 7) &
      4095;
    const known = names[slot] as string; // the array is full and the slot within it
    if (known.length === length && text.startsWith(known, start)) {
      this.at = close + 1;
      return known;
    }
    const name = this.readString();
    if (name.length === length) names[slot] = name;
    return name;
  }

  /** Reads the string whose opening quote is here. */
  readString(): string {
    const { text } = this;
    const start = this.at + 1;
    const end = text.length;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === 0x5c) {
        this.at = at;
        return this.#readEscaped(text.slice(start, at));
      }
      if (code < 0x20) throw new CursorError(controlCharacter(code), at);
    }
    throw endsWithin(end);
  }

  /** The rest of a string from its first backslash on. */
  #readEscaped(before: string): string {
    const { text } = this;
    const end = text.length;
    let result = before;
    for (;;) {
      // At a backslash.
      const code = text.charCodeAt(this.at + 1);
      if (code === 0x75) result += this.#readUnicode();
      else {
        const meaning = escapeMeaning(code);
        if (meaning === -1) throw this.at + 1 < end ? new CursorError(noSuchEscape, this.at) : endsWithin(end);
        result += String.fromCharCode(meaning);
        this.at += 2;
      }
      const start = this.at;
      let at = start;
      for (; at < end; at++) {
        const next = text.charCodeAt(at);
        if (next === 0x22 || next === 0x5c) break;
        if (next < 0x20) throw new CursorError(controlCharacter(next), at);
      }
      if (at >= end) throw endsWithin(end);
      if (at > start) result += text.slice(start, at);
      this.at = at;
      if (text.charCodeAt(at) === 0x22) {
        this.at = at + 1;
        return result;
      }
    }
  }

  /** A `\uXXXX`, or two that form a surrogate pair; starts at the backslash. */
  #readUnicode(): string {
    const { text, at } = this;
    const first = this.#readHex();
    if (first === 0) throw new CursorError(noNul, at);
    if (first < 0xd800 || first > 0xdfff) return String.fromCharCode(first);
    if (first < 0xdc00 && text.charCodeAt(this.at) === 0x5c && text.charCodeAt(this.at + 1) === 0x75) {
      const second = this.#readHex();
      if (second >= 0xdc00 && second <= 0xdfff) return String.fromCharCode(first, second);
    }
    throw new CursorError('Lone surrogate: `\\ud800` to `\\udbff` must be followed by `\\udc00` to `\\udfff`.', at);
  }

  #readHex(): number {
    const digits = this.text.slice(this.at + 2, this.at + 6);
    if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new CursorError(fourDigits, this.at);
    this.at += 6;
    return Number.parseInt(digits, 16);
  }
}

const endsWithin = (end: number): CursorError => new CursorError('The text ends within a string.', end);

// Known names, by length and three characters: comparing in place avoids allocating and hashing a string for each
// property.
const names: string[] = Array.from({ length: 4096 }, () => '');

/** The value of a string literal of valid JSON, with its quotes. */
export const unquote = (literal: string): string =>
  literal.includes('\\') ? String(JSON.parse(literal)) : literal.slice(1, -1);

/**
 * The position after the closing quote of the string that begins at `start`. Throws CursorError if the text ends
 * before, as damaged texts may.
 */
export function stringEnd(text: string, start: number): number {
  let close = text.indexOf('"', start + 1);
  while (close >= 0 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  if (close < 0) throw new CursorError('The JSON text ends within a string', text.length);
  return close + 1;
}

/** True if an odd number of backslashes precedes a quote. */
function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === 0x5c) at--;
  return (quote - 1 - at) % 2 === 1;
}

/**
 * The position after the value that begins at `start` in a compact text. Throws CursorError if the text ends before, as
 * damaged texts may.
 */
export function valueEnd(text: string, start: number): number {
  let level = 0;
  let at = start;
  while (at < text.length) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = stringEnd(text, at);
        if (level === 0) return at;
        continue;
      case 0x7b:
      case 0x5b:
        level++;
        break;
      case 0x7d:
      case 0x5d:
        if (level === 0) return at;
        level--;
        if (level === 0) return at + 1;
        break;
      case 0x2c:
        if (level === 0) return at;
    }
    at++;
  }
  throw new CursorError('The JSON text ends within a value', text.length);
}
