import { hash } from 'node:crypto';

/** The earlier record with the same key. `unknown`: only its key was noted. */
export interface EarlierRecord {
  readonly content: 'same' | 'different' | 'unknown';
  /** The number of its unit. */
  readonly unit: number;
}

/**
 * The keys of a file's records: of three million at least, the last ones, in 128 MB at most; a million take 32 MB. Keys
 * and contents are digests: two keys of ten million are equal in one file of 300,000.
 */
export class SeenRecords {
  readonly #most: number;
  #latest = new KeyTable();
  /** The keys before those, which are forgotten when there are as many of the latest. */
  #former: KeyTable | undefined;

  /** `most` is the number of keys that are remembered at least. */
  constructor(most = mostKeys) {
    this.#most = most;
  }

  /** What the tables take. */
  get bytes(): number {
    return this.#latest.bytes + (this.#former?.bytes ?? 0);
  }

  /** Notes a record of a unit, and returns the earlier one; `content` is undefined if unknown. */
  note(key: string, content: string | undefined, unit: number): EarlierRecord | undefined {
    const [high, low] = words(key);
    const [digest] = content === undefined ? [unknown] : words(content);
    const earlier = this.#latest.get(high, low) ?? this.#former?.get(high, low);
    if (earlier === undefined) {
      if (this.#latest.count >= this.#most) {
        this.#former = this.#latest;
        this.#latest = new KeyTable();
      }
      this.#latest.add(high, low, digest, unit);
      return undefined;
    }
    const same = earlier.digest === digest ? 'same' : 'different';
    return { content: earlier.digest === unknown ? 'unknown' : same, unit: earlier.unit };
  }
}

/** Keys with a word each, by open addressing: 16 bytes per slot, a quarter of the slots empty at least. */
class KeyTable {
  count = 0;
  #places = new Uint32Array(width * 1024);

  get bytes(): number {
    return this.#places.byteLength;
  }

  get(high: number, low: number): { readonly digest: number; readonly unit: number } | undefined {
    const at = this.#find(high, low);
    if (this.#isFree(at)) return undefined;
    return { digest: this.#places[at + 2] ?? 0, unit: this.#places[at + 3] ?? 0 };
  }

  /** Adds a key that is not there. */
  add(high: number, low: number, digest: number, unit: number): void {
    if ((this.count + 1) * 4 * width > this.#places.length * 3) this.#grow();
    this.#places.set([high, low, digest, unit], this.#find(high, low));
    this.count += 1;
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

/** This number of keys fills three quarters of 64 MB. */
const mostKeys = 3 * 2 ** 20;
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
