import { hash } from 'node:crypto';

/** The earlier record with the same key. `unknown`: only its key was noted. */
export interface EarlierRecord {
  readonly content: 'same' | 'different' | 'unknown';
  /** The number of its unit. */
  readonly unit: number;
}

/**
 * The keys of a file's records: 16 bytes per slot, half of the slots empty, so that a file of a million records takes
 * 64 MB at most. Keys and contents are digests: two keys of ten million are equal in one file of 300,000.
 */
export class SeenRecords {
  #places = new Uint32Array(width * 1024);
  #count = 0;

  /** Notes a record of a unit, and returns the earlier one; `content` is undefined if unknown. */
  note(key: string, content: string | undefined, unit: number): EarlierRecord | undefined {
    const [high, low] = words(key);
    const [digest] = content === undefined ? [unknown] : words(content);
    const at = this.#find(high, low);
    if (this.#isFree(at)) {
      this.#places.set([high, low, digest, unit], at);
      this.#count += 1;
      if (this.#count * 2 * width > this.#places.length) this.#grow();
      return undefined;
    }
    const before = this.#places[at + 2];
    const same = before === digest ? 'same' : 'different';
    return { content: before === unknown ? 'unknown' : same, unit: this.#places[at + 3] ?? 0 };
  }

  /** The slot of a key, or a free one for it. */
  #find(high: number, low: number): number {
    const last = this.#places.length - width;
    let at = (high % (this.#places.length / width)) * width;
    while (!this.#isFree(at) && (this.#places[at] !== high || this.#places[at + 1] !== low))
      at = at === last ? 0 : at + width;
    return at;
  }

  #isFree(at: number): boolean {
    return this.#places[at + 3] === 0;
  }

  #grow(): void {
    const old = this.#places;
    this.#places = new Uint32Array(old.length * 2);
    for (let from = 0; from < old.length; from += width) {
      const place = old.subarray(from, from + width);
      if (place[3] !== 0) this.#places.set(place, this.#find(place[0] ?? 0, place[1] ?? 0));
    }
  }
}

/** Two words of the key, one of the content, and the unit, which is never 0. */
const width = 4;
const unknown = 0;

function words(text: string): readonly [number, number] {
  const digest = hash('sha1', text, 'latin1'); // a latin1 string costs half as much as a buffer
  return [word(digest, 0) || 1, word(digest, 4)];
}

const word = (bytes: string, at: number): number =>
  (bytes.charCodeAt(at) |
    (bytes.charCodeAt(at + 1) << 8) |
    (bytes.charCodeAt(at + 2) << 16) |
    (bytes.charCodeAt(at + 3) << 24)) >>>
  0;
