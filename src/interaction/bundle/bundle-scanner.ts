import { ByteCursor, isName } from '../../fhir/byte-cursor.ts';

/** Maximum length of a line of NDJSON and of an entry, in bytes. */
export const maxRecord = 64 * 1024 * 1024;

/** An input that cannot be read further; what was read before stays valid. */
export class BrokenInput extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BrokenInput';
  }
}

/**
 * Splits a JSON object into the members of its array `entry` and the envelope around them, byte by byte, so that a
 * Bundle of any size needs little memory. It reads brackets and strings only: members and envelope must still be
 * parsed. Throws BrokenInput if members are not objects separated by one comma.
 */
export class BundleScanner {
  readonly #cursor = new ByteCursor(nothing);
  #depth = 0;
  /** At depth 1: whether a name comes next; and whether the last one is `entry`. */
  #expectsName = false;
  #isEntry = false;
  /** Inside the array: whether a member may come next, and whether one must. */
  #inEntries = false;
  #expectsMember = false;
  #count = 0;

  /** What the incomplete bytes belong to, and where they begin in this chunk. */
  #open: 'member' | 'name' | undefined;
  #start = 0;
  /** The objects and arrays of the open member that are open. */
  #levels = 0;
  #parts: Uint8Array[] = [];
  #partsLength = 0;
  /** Where the open part of the envelope begins in this chunk; -1 inside the array. */
  #envelopeStart = 0;
  readonly #envelope: Uint8Array[] = [];
  #envelopeLength = 0;
  readonly #longest: number;

  /** `longest`: bytes of an entry, and of the envelope, at most. */
  constructor(longest: number = maxRecord) {
    this.#longest = longest;
  }

  /** The members that end in this chunk. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    const members: Uint8Array[] = [];
    const cursor = this.#cursor;
    cursor.continueIn(chunk);
    this.#start = 0;
    this.#envelopeStart = this.#inEntries ? -1 : 0;
    while (cursor.at < chunk.length) {
      if (this.#open === 'member') {
        this.#levels = cursor.skipLevels(this.#levels);
        if (this.#levels === 0) members.push(this.#close(cursor.at));
      } else if (cursor.inString) {
        if (cursor.skipString() && this.#open === 'name') {
          const name = this.#close(cursor.at - 1);
          this.#isEntry = isName(name, 0, name.length, 'entry');
          this.#expectsName = false;
        }
      } else if (this.#inEntries) this.#readBetween(cursor.skipSpace());
      else this.#readEnvelope(cursor.next());
    }
    if (this.#open !== undefined) this.#hold(chunk.subarray(this.#start));
    if (this.#envelopeStart !== -1) this.#keepEnvelope(chunk.subarray(this.#envelopeStart));
    return members;
  }

  /** The object without the content of its array `entry`, as text bytes; to be called at the end. */
  envelope(): Uint8Array {
    return Buffer.concat(this.#envelope);
  }

  /** Reads a character between members; -1 at the end of the chunk. */
  #readBetween(byte: number): void {
    if (byte === -1) return;
    const at = this.#cursor.at++;
    switch (byte) {
      case 0x5d:
        if (this.#expectsMember && this.#count > 0) throw this.#broken('A comma precedes the end of the entries.');
        this.#inEntries = false;
        this.#depth = 1;
        this.#envelopeStart = at;
        return;
      case 0x2c:
        if (this.#expectsMember) throw this.#broken('A comma was found where an entry is expected.');
        this.#expectsMember = true;
        return;
      case 0x7b:
        if (!this.#expectsMember) throw this.#broken('A comma is missing between two entries.');
        this.#expectsMember = false;
        this.#count++;
        this.#open = 'member';
        this.#start = at;
        this.#levels = 1;
        return;
      default:
        throw this.#broken('Entries must be objects.');
    }
  }

  /** Reads a token outside of the array; -1 at the end of the chunk. */
  #readEnvelope(byte: number): void {
    const cursor = this.#cursor;
    switch (byte) {
      case 0x22:
        if (this.#depth === 1 && this.#expectsName) {
          this.#open = 'name';
          this.#start = cursor.at;
        }
        break;
      case 0x7b:
      case 0x5b:
        this.#depth++;
        if (this.#depth === 1) this.#expectsName = byte === 0x7b;
        else if (this.#depth === 2 && byte === 0x5b && this.#isEntry) {
          this.#inEntries = true;
          this.#expectsMember = true;
          this.#keepEnvelope(cursor.bytes.subarray(this.#envelopeStart, cursor.at));
          this.#envelopeStart = -1;
        }
        break;
      case 0x7d:
      case 0x5d:
        this.#depth--;
        break;
      case 0x2c:
        if (this.#depth === 1) {
          this.#expectsName = true;
          this.#isEntry = false;
        }
    }
  }

  #close(end: number): Uint8Array {
    const last = this.#cursor.bytes.subarray(this.#start, end);
    const bytes = this.#parts.length === 0 ? last : joined([...this.#parts, last]);
    this.#open = undefined;
    this.#parts = [];
    this.#partsLength = 0;
    return bytes;
  }

  #hold(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#partsLength += bytes.length;
    if (this.#partsLength > this.#longest) throw this.#broken(`An entry has more than ${this.#longest} bytes.`);
  }

  #keepEnvelope(bytes: Uint8Array): void {
    this.#envelope.push(bytes);
    this.#envelopeLength += bytes.length;
    if (this.#envelopeLength > this.#longest)
      throw this.#broken(`There are more than ${this.#longest} bytes outside of entries.`);
  }

  #broken(message: string): BrokenInput {
    return new BrokenInput(`${message} (near entry ${this.#count})`);
  }
}

const nothing = new Uint8Array();

/** Parts in one: without a copy if they follow each other in one buffer. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return nothing;
  let end = first.byteOffset;
  for (const part of parts) {
    if (part.buffer !== first.buffer || part.byteOffset !== end) return Buffer.concat(parts);
    end += part.length;
  }
  return new Uint8Array(first.buffer, first.byteOffset, end - first.byteOffset);
}
