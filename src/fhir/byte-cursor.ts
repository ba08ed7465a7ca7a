import { CursorError, controlCharacter, escapeMeaning, fourDigits, noSuchEscape } from './cursor-error.ts';

/**
 * A position in the bytes of a JSON text in UTF-8, which moves forward over its tokens. The bytes may come in chunks: a
 * string may begin in one and end in another. It separates tokens as JSON does and checks nothing else, so that the
 * bytes must also be parsed strictly: up to the first error both see the same tokens.
 * https://www.rfc-editor.org/rfc/rfc8259#section-7
 */
export class ByteCursor {
  bytes: Uint8Array;
  at: number;
  /** Whether the position is in a string, after its opening quote. */
  inString = false;
  /** Whether a backslash precedes the position. */
  #escaped = false;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Continues in the next chunk. */
  continueIn(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 0;
  }

  /** Skips white space, and control characters; returns the byte there, -1 at the end. */
  skipSpace(): number {
    const { bytes } = this;
    while (this.at < bytes.length) {
      const byte = bytes[this.at] as number; // within the bytes
      if (byte > 0x20) return byte;
      this.at++;
    }
    return -1;
  }

  /** Moves past the next bracket, colon, comma or opening quote outside of strings and returns it; -1 at the end. */
  next(): number {
    const { bytes } = this;
    const { length } = bytes;
    for (let at = this.at; at < length;) {
      const byte = bytes[at++] as number; // within the bytes
      if (isStructural[byte] === 0) continue;
      this.at = at;
      if (byte === 0x22) this.inString = true;
      return byte;
    }
    this.at = length;
    return -1;
  }

  /** Moves past the closing quote of the string at the position; false if the bytes end before. */
  skipString(): boolean {
    const { bytes } = this;
    const { length } = bytes;
    let at = this.#escaped ? this.at + 1 : this.at;
    this.#escaped = false;
    // Most strings are short; for others the native search is faster.
    const near = Math.min(length, at + 48);
    while (at < near) {
      const byte = bytes[at++];
      if (byte === 0x22) return this.#leave(at);
      if (byte === 0x5c) at++;
    }
    while (at < length) {
      const quote = bytes.indexOf(0x22, at);
      const end = quote === -1 ? length : quote;
      let before = end;
      while (before > at && bytes[before - 1] === 0x5c) before--;
      const escaped = (end - before) % 2 === 1;
      if (quote === -1) at = escaped ? length + 1 : length;
      else if (escaped) at = quote + 1;
      else return this.#leave(quote + 1);
    }
    this.#escaped = at > length;
    this.at = length;
    return false;
  }

  /** Moves past the end of so many open objects and arrays; returns how many are open at the end of the bytes. */
  skipLevels(levels: number): number {
    let open = levels;
    if (this.inString && !this.skipString()) return open;
    while (open > 0) {
      switch (this.next()) {
        case 0x22:
          if (!this.skipString()) return open;
          break;
        case 0x7b:
        case 0x5b:
          open++;
          break;
        case 0x7d:
        case 0x5d:
          open--;
          break;
        case -1:
          return open;
        default: // a colon or a comma
      }
    }
    return 0;
  }

  /** Reads the code of a character of a string: of the one that an escape means, or one byte. Throws CursorError. */
  readCharacter(): number {
    const { bytes } = this;
    const code = bytes[this.at++] ?? 0;
    if (code < 0x20) throw new CursorError(controlCharacter(code), this.at - 1);
    if (code !== 0x5c) return code;
    const escape = bytes[this.at++] ?? 0;
    if (escape === 0x75) return this.#readHex();
    const meaning = escapeMeaning(escape);
    if (meaning === -1) throw new CursorError(noSuchEscape, this.at - 2);
    return meaning;
  }

  #readHex(): number {
    let value = 0;
    for (let digit = 0; digit < 4; digit++) {
      const hex = hexValue(this.bytes[this.at++] ?? 0);
      if (hex === -1) throw new CursorError(fourDigits, Math.min(this.at, this.bytes.length) - 1);
      value = value * 16 + hex;
    }
    return value;
  }

  #leave(at: number): true {
    this.at = at;
    this.inString = false;
    return true;
  }
}

/** True if the bytes between two quotes are this name of ASCII letters, also with escapes. */
export function isName(bytes: Uint8Array, from: number, to: number, name: string | undefined): boolean {
  if (name === undefined || to - from < name.length || to - from > 6 * name.length) return false;
  // An escape has more bytes than its character.
  if (to - from > name.length) return hasBackslash(bytes, from, to) && unescaped(bytes.subarray(from, to)) === name;
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name.charCodeAt(at)) return false;
  return true;
}

function hasBackslash(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === 0x5c) return true;
  return false;
}

/** The value of the bytes between two quotes; undefined for an invalid escape. */
function unescaped(bytes: Uint8Array): string | undefined {
  try {
    return String(JSON.parse(`"${Buffer.from(bytes).toString('latin1')}"`));
  } catch {
    return undefined;
  }
}

const isStructural = new Uint8Array(256);
for (const character of '"{}[]:,') isStructural[character.charCodeAt(0)] = 1;

const hexValue = (code: number): number =>
  code >= 0x30 && code <= 0x39
    ? code - 0x30
    : (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66
      ? (code | 0x20) - 0x57
      : -1;
