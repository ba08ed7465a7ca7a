/** Text that is not base64: what is wrong, and how many bytes behind the start. */
export class Base64Error extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'Base64Error';
    this.at = at;
  }
}

/**
 * Decodes base64 that stands in a JSON string, in place: the decoded bytes overwrite the text from its start on, so that
 * nothing is held twice. Takes white space between any characters and JSON's escapes (`\/`, `\n`, `\u002b`), padding at the
 * end only, groups of four. Works in steps, so that others get their turn between them.
 * https://hl7.org/fhir/R4/datatypes.html#base64Binary
 */
export class Base64InPlace {
  readonly #bytes: Uint8Array;
  readonly #from: number;
  readonly #to: number;
  #read: number;
  #write: number;
  /** Characters of the group that is not complete, their bits, and the padding seen. */
  #count = 0;
  #bits = 0;
  #padding = 0;

  constructor(bytes: Uint8Array, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = this.#read = this.#write = from;
    this.#to = to;
  }

  /** What is decoded so far. */
  get decoded(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#write);
  }

  /** Goes on for about `most` bytes of text; true when all is decoded. Throws Base64Error. */
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
      if (++this.#padding > 2 || this.#count < 2) this.#fail('`=` stands where base64 has none', at);
    } else if (value !== space) this.#fail('A character stands here that base64 does not have', at);
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

  /** The character code at the place where reading is, escapes resolved; moves behind it. */
  #next(): number {
    const bytes = this.#bytes;
    const code = bytes[this.#read++] ?? 0;
    if (code < 0x20) this.#fail('A control character stands in a string; JSON has escapes for them', this.#read - 1);
    if (code !== 0x5c) return code;
    const escape = this.#read < this.#to ? (bytes[this.#read++] ?? 0) : 0;
    if (escape !== 0x75) return escapes[escape] ?? this.#fail('This escape is none that base64 has', this.#read - 2);
    let value = 0;
    for (let digit = 0; digit < 4; digit++) {
      const hex = this.#read < this.#to ? hexValue(bytes[this.#read++] ?? 0) : -1;
      if (hex === -1) this.#fail('`\\u` must be followed by four hexadecimal digits', this.#read - 1);
      value = value * 16 + hex;
    }
    if (value > 0x7f) this.#fail('A character stands here that base64 does not have', this.#read - 6);
    return value;
  }

  #fail(text: string, at: number): never {
    throw new Base64Error(text, at - this.#from);
  }
}

const none = 255;
const pad = 128;
const space = 129;

/** What each character is worth. */
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
