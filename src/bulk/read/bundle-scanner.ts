import { BrokenInput, maxRecord } from './unit.ts';

/**
 * Splits a JSON object into the members of its array `entry` and the envelope around them, byte by byte, so that a
 * Bundle of any size needs little memory. It reads brackets and strings only: members and envelope must still be
 * parsed. Throws BrokenInput if members are not objects separated by one comma.
 */
export class BundleScanner {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** At depth 1: a name comes next; and the last name. */
  #expectsName = false;
  #name = '';
  /** Inside the array: whether a member may come next, and whether one must. */
  #inEntries = false;
  #expectsMember = false;
  #count = 0;

  /** What the incomplete bytes belong to. */
  #open: 'member' | 'name' | undefined;
  #parts: Uint8Array[] = [];
  #partsLength = 0;
  readonly #envelope: Uint8Array[] = [];
  #envelopeLength = 0;

  /** The members that end in this chunk. */
  push(chunk: Uint8Array): readonly Uint8Array[] {
    const members: Uint8Array[] = [];
    // The start of the open member, name or part of the envelope in this chunk.
    let start = 0;
    let envelopeStart = this.#open === 'member' || this.#inEntries ? -1 : 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#open === 'member') {
        at = this.#skip(chunk, at);
        if (this.#depth === 2) members.push(this.#close(chunk, start, at));
        if (at === chunk.length) break;
      }
      const byte = chunk[at] as number; // within the chunk
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === 0x5c) this.#escaped = true;
        else if (byte === 0x22) {
          this.#inString = false;
          if (this.#open === 'name') {
            this.#name = Buffer.from(this.#close(chunk, start, at)).toString('utf8');
            this.#expectsName = false;
          }
        }
        continue;
      }
      if (byte <= 0x20) continue;
      if (this.#inEntries && this.#depth === 2) {
        if (byte === 0x5d) {
          this.#inEntries = false;
          this.#depth = 1;
          if (this.#expectsMember && this.#count > 0) throw this.#broken('A comma precedes the end of the entries.');
          envelopeStart = at;
          continue;
        }
        if (byte === 0x2c) {
          if (this.#expectsMember) throw this.#broken('A comma was found where an entry is expected.');
          this.#expectsMember = true;
          continue;
        }
        if (byte !== 0x7b) throw this.#broken('Entries must be objects.');
        if (!this.#expectsMember) throw this.#broken('A comma is missing between two entries.');
        this.#expectsMember = false;
        this.#count++;
        this.#open = 'member';
        start = at;
        this.#depth++;
        continue;
      }
      switch (byte) {
        case 0x22:
          this.#inString = true;
          if (this.#depth === 1 && this.#expectsName) {
            this.#open = 'name';
            start = at + 1;
          }
          break;
        case 0x7b:
        case 0x5b:
          this.#depth++;
          if (this.#depth === 1) this.#expectsName = byte === 0x7b;
          else if (this.#depth === 2 && byte === 0x5b && this.#name === 'entry') {
            this.#inEntries = true;
            this.#expectsMember = true;
            this.#keepEnvelope(chunk.subarray(envelopeStart, at + 1));
            envelopeStart = -1;
          }
          break;
        case 0x7d:
        case 0x5d:
          this.#depth--;
          break;
        case 0x2c:
          if (this.#depth === 1) {
            this.#expectsName = true;
            this.#name = '';
          }
      }
    }
    if (this.#open !== undefined) this.#hold(chunk.subarray(start));
    if (envelopeStart !== -1 && this.#open !== 'member') this.#keepEnvelope(chunk.subarray(envelopeStart));
    return members;
  }

  /** The object without the content of its array `entry`, as text bytes; to be called at the end. */
  envelope(): Uint8Array {
    return Buffer.concat(this.#envelope);
  }

  /** Skips to the end of the open member, or of the chunk: most bytes pass through here. */
  #skip(chunk: Uint8Array, from: number): number {
    const end = chunk.length;
    let depth = this.#depth;
    let inString = this.#inString;
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at++;
    }
    while (at < end) {
      if (inString) {
        const byte = chunk[at++];
        if (byte === 0x22) inString = false;
        else if (byte === 0x5c && at++ >= end) this.#escaped = true;
        continue;
      }
      const byte = chunk[at++];
      if (byte === 0x22) inString = true;
      else if (byte === 0x7b || byte === 0x5b) depth++;
      else if ((byte === 0x7d || byte === 0x5d) && --depth === 2) break;
    }
    this.#depth = depth;
    this.#inString = inString;
    return Math.min(at, end);
  }

  #close(chunk: Uint8Array, start: number, end: number): Uint8Array {
    const last = chunk.subarray(start, end);
    const bytes = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#open = undefined;
    this.#parts = [];
    this.#partsLength = 0;
    return bytes;
  }

  #hold(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.#partsLength += bytes.length;
    if (this.#partsLength > maxRecord) throw this.#broken(`An entry has more than ${maxRecord} bytes.`);
  }

  #keepEnvelope(bytes: Uint8Array): void {
    this.#envelope.push(bytes);
    this.#envelopeLength += bytes.length;
    if (this.#envelopeLength > maxRecord)
      throw this.#broken(`There are more than ${maxRecord} bytes outside of entries.`);
  }

  #broken(message: string): BrokenInput {
    return new BrokenInput(`${message} (near entry ${this.#count})`);
  }
}
