/** Text that is not base64: what is wrong, and how many characters of the text precede it. */
export class Base64Error extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'Base64Error';
    this.at = at;
  }
}

/**
 * Decodes the base64 of a JSON string, `from` to `to` in `bytes`, in steps, so that other requests get turns between.
 * The decoded bytes overwrite the text from its start on: nothing is held twice, and the memory is freed with the body.
 * Accepts JSON's escapes (`\/`, `\n`, `\u002b`), white space between any characters, padding at the end only, groups of
 * four.
 * https://hl7.org/fhir/R4/datatypes.html#base64Binary
 */
export class Base64InPlace {
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;
  #read: number;
  #write: number;
  /** Characters of a group that is not complete, and the number of characters before them. */
  #rest = '';
  #before = 0;
  #isPadded = false;

  constructor(bytes: Buffer, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = this.#read = this.#write = from;
    this.#to = to;
  }

  /** The bytes that are decoded so far. */
  get decoded(): Uint8Array {
    return this.#bytes.subarray(this.#from, this.#write);
  }

  /** Decodes about `most` more bytes of text; true when all is decoded. Throws Base64Error. */
  step(most: number): boolean {
    const end = this.#behindEscape(Math.min(this.#to, this.#read + most));
    const text = this.#rest + this.#unescaped(this.#bytes.toString('latin1', this.#read, end));
    if (this.#isPadded && /\S/.test(text)) throw new Base64Error(misplacedPadding, this.#before - 1);
    this.#read = end;
    const decoded = this.#decode(text);
    this.#rest = text.slice(decoded);
    this.#before += decoded;
    if (end < this.#to) return false;
    if (this.#rest.trim() === '') return true;
    throw new Base64Error('The base64 ends within a group of four characters', this.#before + this.#rest.length);
  }

  /** Decodes whole groups; returns the number of characters that they are. */
  #decode(text: string): number {
    try {
      const { read, written } = this.#bytes
        .subarray(this.#write)
        .setFromBase64(text, { lastChunkHandling: 'stop-before-partial' });
      this.#write += written;
      this.#isPadded ||= text.slice(0, read).trimEnd().endsWith('=');
      return read;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const wrong = text.search(notBase64);
      if (wrong !== -1) throw new Base64Error('Base64 does not have this character', this.#before + wrong);
      throw new Base64Error(misplacedPadding, this.#before + text.indexOf('='));
    }
  }

  /** A place at or behind `stop` that no escape spans. */
  #behindEscape(stop: number): number {
    const from = Math.max(this.#read, stop - 5);
    const found = this.#bytes.subarray(from, stop).lastIndexOf(BACKSLASH);
    if (found === -1) return stop;
    const escape = from + found;
    return Math.max(stop, Math.min(this.#to, escape + (this.#bytes[escape + 1] === LETTER_U ? 6 : 2)));
  }

  /** The characters that a part of a JSON string means. */
  #unescaped(text: string): string {
    if (!special.some(character => text.includes(character))) return text; // far faster than a pattern
    const broken = text.search(notJson);
    if (broken === -1) return JSON.parse(`"${text}"`) as string;
    const message =
      text[broken] === '\\' ? 'Base64 does not have this escape' : 'JSON has an escape for this control character';
    throw new Base64Error(message, this.#before + this.#rest.length + broken);
  }
}

const misplacedPadding = '`=` is for the end of the last group of four characters alone';
/** Characters that the decoder accepts but a JSON string must escape, and the escape itself. */
const special = ['\\', '\t', '\n', '\f', '\r'];
const notBase64 = /[^A-Za-z0-9+/=\t\n\f\r ]/;
/** A control character, or a backslash that begins no escape, or one of a character that base64 does not have. */
const notJson = /[^ -\u00ff]|\\(?![/bfnrt]|u[\dA-Fa-f]{4})/;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
