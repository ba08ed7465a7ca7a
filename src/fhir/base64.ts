/** An error in base64: the problem, and its byte offset. */
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
  readonly #to: number;
  #read: number;
  #write: number;
  /** Characters of the incomplete group, their bits, and the padding so far. */
  #count = 0;
  #bits = 0;
  #padding = 0;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = this.#read = this.#write = from;
    this.#to = to;
  }

  /** The bytes decoded so far. */
  get decoded(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#write);
  }

  /** Decodes about `most` further bytes of text; true at the end. Throws Base64Error. */
  step(most: number): boolean {
    const stop = Math.min(this.#to, this.#read + most);
    while (this.#read < stop) {
      if (this.#count === 0 && this.#padding === 0) this.#groups(stop);
      if (this.#read < stop) this.#character();
    }
    if (this.#read < this.#to) return false;
    if (this.#padding === 0 ? this.#count !== 0 : this.#count + this.#padding !== 4) {
      this.#fail('The base64 ends within a group of four characters', this.#to);
    }
    if (this.#count > 1) this.#flush();
    return true;
  }

  /** Whole groups without escapes, white space or padding. */
  #groups(stop: number): void {
    const bytes = this.#bytes;
    let read = this.#read;
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
    this.#read = read;
    this.#write = write;
  }

  #character(): void {
    const at = this.#read;
    const code = this.#next();
    const value = values[code] ?? none;
    if (value < 64) {
      if (this.#padding > 0) this.#fail('Nothing may follow the `=` at the end of base64', at);
      this.#bits = (this.#bits << 6) | value;
      if (++this.#count === 4) {
        this.#bytes[this.#write++] = this.#bits >> 16;
        this.#bytes[this.#write++] = this.#bits >> 8;
        this.#bytes[this.#write++] = this.#bits;
        this.#count = this.#bits = 0;
      }
    } else if (value === pad) {
      if (++this.#padding > 2 || this.#count < 2) this.#fail('`=` is not allowed here in base64', at);
    } else if (value !== space) this.#fail('This character is not a base64 character', at);
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

  /** The next character code, with escapes resolved; advances past it. */
  #next(): number {
    const bytes = this.#bytes;
    const code = bytes[this.#read++] ?? 0;
    if (code < 0x20) this.#fail('A control character in a JSON string must be escaped', this.#read - 1);
    if (code !== 0x5c) return code;
    const escape = this.#read < this.#to ? (bytes[this.#read++] ?? 0) : 0;
    if (escape !== 0x75) return escapes[escape] ?? this.#fail('This escape is not a base64 character', this.#read - 2);
    let value = 0;
    for (let digit = 0; digit < 4; digit++) {
      const hex = this.#read < this.#to ? hexValue(bytes[this.#read++] ?? 0) : -1;
      if (hex === -1) this.#fail('`\\u` must be followed by four hexadecimal digits', this.#read - 1);
      value = value * 16 + hex;
    }
    if (value > 0x7f) this.#fail('This character is not a base64 character', this.#read - 6);
    return value;
  }

  #fail(text: string, at: number): never {
    throw new Base64Error(text, at - this.#from);
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

const escapes: Readonly<Record<number, number>> = { 0x2f: 0x2f, 0x66: 0x0c, 0x6e: 0x0a, 0x72: 0x0d, 0x74: 0x09 };

const hexValue = (code: number): number =>
  code >= 0x30 && code <= 0x39
    ? code - 0x30
    : (code | 0x20) >= 0x61 && (code | 0x20) <= 0x66
      ? (code | 0x20) - 0x57
      : -1;
