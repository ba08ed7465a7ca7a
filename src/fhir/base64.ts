import { ByteCursor } from './byte-cursor.ts';
import { CursorError } from './cursor-error.ts';

/** An error in base64: the problem, as a sentence without its period, and its byte offset. */
export class Base64Error extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'Base64Error';
    this.at = at;
  }
}

/**
 * Decodes the base64 of a JSON string in place: the decoded bytes overwrite the text from its start, so that memory
 * holds it once. Accepts white space between any characters and JSON's escapes (`\/`, `\n`, `\u002b`), padding at the
 * end only, groups of four. Works in steps, so that other work runs in between.
 * https://hl7.org/fhir/R4/datatypes.html#base64Binary
 */
export class Base64InPlace {
  readonly #bytes: Uint8Array;
  readonly #from: number;
  /** The text that is still to be decoded. */
  readonly #cursor: ByteCursor;
  #write: number;
  /** Characters of the incomplete group, their bits, and the padding so far. */
  #count = 0;
  #bits = 0;
  #padding = 0;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes.subarray(0, to);
    this.#cursor = new ByteCursor(this.#bytes, from);
    this.#from = this.#write = from;
  }

  /** The bytes decoded so far. */
  get decoded(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#write);
  }

  /** Decodes about `most` further bytes of text; true at the end. Throws Base64Error. */
  step(most: number): boolean {
    try {
      return this.#step(most);
    } catch (error) {
      if (!(error instanceof CursorError)) throw error;
      throw new Base64Error(error.message.replace(/\.$/, ''), error.at - this.#from);
    }
  }

  #step(most: number): boolean {
    const cursor = this.#cursor;
    const { length } = this.#bytes;
    const stop = Math.min(length, cursor.at + most);
    while (cursor.at < stop) {
      if (this.#count === 0 && this.#padding === 0) this.#groups(stop);
      if (cursor.at < stop) this.#character();
    }
    if (cursor.at < length) return false;
    if (this.#padding === 0 ? this.#count !== 0 : this.#count + this.#padding !== 4) {
      throw new CursorError('The base64 ends within a group of four characters', length);
    }
    if (this.#count > 1) this.#flush();
    return true;
  }

  /** Whole groups without escapes, white space or padding. */
  #groups(stop: number): void {
    const bytes = this.#bytes;
    let read = this.#cursor.at;
    let write = this.#write;
    for (; read + 4 <= stop; read += 4) {
      // Each index is a byte and the table has 256 values; the positions are within the bytes.
      const a = values[bytes[read] as number] as number;
      const b = values[bytes[read + 1] as number] as number;
      const c = values[bytes[read + 2] as number] as number;
      const d = values[bytes[read + 3] as number] as number;
      if ((a | b | c | d) > 63) break;
      const bits = (a << 18) | (b << 12) | (c << 6) | d;
      bytes[write++] = bits >> 16;
      bytes[write++] = bits >> 8;
      bytes[write++] = bits;
    }
    this.#cursor.at = read;
    this.#write = write;
  }

  #character(): void {
    const { at } = this.#cursor;
    const value = values[this.#cursor.readCharacter()] ?? none;
    if (value < 64) {
      if (this.#padding > 0) throw new CursorError('Nothing may follow the `=` at the end of base64', at);
      this.#bits = (this.#bits << 6) | value;
      if (++this.#count === 4) {
        this.#bytes[this.#write++] = this.#bits >> 16;
        this.#bytes[this.#write++] = this.#bits >> 8;
        this.#bytes[this.#write++] = this.#bits;
        this.#count = this.#bits = 0;
      }
    } else if (value === pad) {
      if (++this.#padding > 2 || this.#count < 2) throw new CursorError('`=` is not allowed here in base64', at);
    } else if (value !== space) throw new CursorError('This character is not a base64 character', at);
  }

  /** The last group, which padding completes. */
  #flush(): void {
    if (this.#count === 2) this.#bytes[this.#write++] = this.#bits >> 4;
    else {
      this.#bytes[this.#write++] = this.#bits >> 10;
      this.#bytes[this.#write++] = this.#bits >> 2;
    }
    this.#count = this.#padding = 0;
  }
}

const none = 255;
const pad = 128;
const space = 129;

/** The value of each character. */
const values = Uint8Array.from({ length: 256 }, (_, code) => {
  const value = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(String.fromCharCode(code));
  if (value !== -1) return value;
  if (code === 0x3d) return pad;
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) ? space : none;
});
