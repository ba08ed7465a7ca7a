import { CursorError, unexpected } from './cursor-error.ts';
import { scanNumber, scanned } from './json-number.ts';
import { TextCursor } from './text-cursor.ts';
import { placeOf } from './json-place.ts';

/** A text that is not strict JSON: the problem and its place. */
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

/** The error at a position of a text. */
function errorAt(text: string, at: number, message: string): JsonError {
  const { path, line, column } = placeOf(text, at);
  return new JsonError(message, path, line, column);
}

/** The index of the first lone surrogate, in a text that has one. */
function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) return at;
  }
  return 0;
}

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
  try {
    if (!text.isWellFormed()) {
      throw new CursorError('Lone surrogate: the text is not valid Unicode.', loneSurrogate(text));
    }
    const parser = new Parser(text);
    const value = parser.readText();
    return { value, decimals: parser.decimals ?? noDecimals, compact: !parser.spaced };
  } catch (error) {
    throw error instanceof CursorError ? errorAt(text, error.at, error.message) : error;
  }
}

/** The text of a number as written; `value` is the number at `parent[key]`. */
export function decimalText(decimals: Decimals, parent: object, key: string | number, value: number): string {
  return decimals.get(parent)?.[key] ?? String(value);
}

const noDecimals: Decimals = new Map();

class Parser extends TextCursor {
  decimals: Map<object, Record<string, string>> | undefined = undefined;
  #level = 0;

  readText(): unknown {
    const value = this.#readValue(this.skipSpace());
    if (this.skipSpace() !== -1) this.#fail('The text continues after the end of the JSON value.');
    return value;
  }

  /** Reads the value that begins with `code`; numbers are read by `#readNumber`, since they need their parent. */
  #readValue(code: number): unknown {
    switch (code) {
      case 0x22:
        return this.readString();
      case 0x7b:
        return this.#readObject();
      case 0x5b:
        return this.#readArray();
      case 0x74:
        return this.#readWord('true', true);
      case 0x66:
        return this.#readWord('false', false);
      case 0x6e:
        return this.#readWord('null', null);
      default:
        if (isNumberStart(code)) return this.#readNumber(undefined, '');
        return this.#failHere(code, 'a value');
    }
  }

  #readWord<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at))
      this.#fail(`Only \`true\`, \`false\` and \`null\` are allowed here without quotes.`);
    this.at += word.length;
    return value;
  }

  #readObject(): object {
    this.#enter();
    const object: Record<string, unknown> = {};
    let code = this.skipSpace();
    if (code === 0x7d) {
      this.#leave();
      return object;
    }
    for (;;) {
      if (code !== 0x22) this.#failHere(code, 'a property name in double quotes');
      const nameAt = this.at;
      const name = this.readName();
      if (object[name] !== undefined && Object.hasOwn(object, name)) {
        throw new CursorError(`The property \`${name.slice(0, 60)}\` is repeated in one object.`, nameAt);
      }
      code = this.skipSpace();
      if (code !== 0x3a) this.#failHere(code, 'a colon');
      this.at++;
      code = this.skipSpace();
      const value =
        code === 0x22
          ? this.readString()
          : isNumberStart(code)
            ? this.#readNumber(object, name)
            : this.#readValue(code);
      // Plain assignment to `__proto__` would set the prototype instead.
      if (name === '__proto__') {
        Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
      } else object[name] = value;
      code = this.skipSpace();
      if (code === 0x7d) {
        this.#leave();
        return object;
      }
      if (code !== 0x2c) this.#failHere(code, 'a comma or `}`');
      this.at++;
      code = this.skipSpace();
    }
  }

  #readArray(): unknown[] {
    this.#enter();
    const array: unknown[] = [];
    let code = this.skipSpace();
    if (code === 0x5d) {
      this.#leave();
      return array;
    }
    for (;;) {
      array.push(isNumberStart(code) ? this.#readNumber(array, String(array.length)) : this.#readValue(code));
      code = this.skipSpace();
      if (code === 0x5d) {
        this.#leave();
        return array;
      }
      if (code !== 0x2c) this.#failHere(code, 'a comma or `]`');
      this.at++;
      code = this.skipSpace();
    }
  }

  /** Moves past an opening bracket. */
  #enter(): void {
    if (++this.#level > maxLevels) this.#fail(`Objects and arrays nest more than ${maxLevels} levels deep.`);
    this.at++;
  }

  /** Moves past a closing bracket. */
  #leave(): void {
    this.#level--;
    this.at++;
  }

  /** Reads a number and, if `String(number)` would not print its text, stores the text under `parent` and `key`. */
  #readNumber(parent: object | undefined, key: string): number {
    const value = scanNumber(this.text, this.at);
    this.at = scanned.end;
    if (scanned.text !== undefined && parent !== undefined) this.#storeText(parent, key, scanned.text);
    return value;
  }

  #storeText(parent: object, key: string, text: string): void {
    this.decimals ??= new Map();
    const texts = this.decimals.get(parent) ?? (Object.create(null) as Record<string, string>); // keys of clients
    this.decimals.set(parent, texts);
    texts[key] = text;
  }

  #fail(message: string): never {
    throw new CursorError(message, this.at);
  }

  /** Fails with the character here and the expected one. */
  #failHere(code: number, wanted: string): never {
    this.#fail(unexpected(this.text, this.at, code, wanted));
  }
}

const isNumberStart = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x2d;
