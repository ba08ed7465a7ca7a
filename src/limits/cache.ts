/**
 * Values by key, at most `most` of them, each with an optional expiry. A new value beyond the limit evicts the oldest
 * that was not used since its last turn ("second chance"): a lookup costs no more than that of a Map.
 */
export class Cache<T, Key = string> {
  readonly #most: number;
  readonly #entries = new Map<Key, Entry<T>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** The value; undefined if there is none or it has expired. `now` in milliseconds since 1970 UTC. */
  get(key: Key, now = 0): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= now) {
      this.#entries.delete(key);
      return undefined;
    }
    entry.isUsed = true;
    return entry.value;
  }

  /** Replaces the value of a key. `until` in milliseconds since 1970 UTC; without it the value does not expire. */
  put(key: Key, value: T, until = Infinity): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.#most) this.#evict();
    this.#entries.set(key, { value, until, isUsed: false });
  }

  /** Removes the entries that have expired by `now`; returns how many are left. */
  sweep(now: number): number {
    for (const [key, { until }] of this.#entries) if (until <= now) this.#entries.delete(key);
    return this.#entries.size;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Evicts the oldest entry that is not marked as used; marked ones lose their mark and become the youngest. */
  #evict(): void {
    for (const [key, entry] of this.#entries) {
      this.#entries.delete(key);
      if (!entry.isUsed) return;
      entry.isUsed = false;
      this.#entries.set(key, entry);
    }
  }
}

interface Entry<T> {
  readonly value: T;
  readonly until: number;
  isUsed: boolean;
}

/** Creates a value at its first use, and caches it. A failure is not cached: the next call tries again. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    if (made !== undefined) return made;
    const making = make();
    made = making;
    making.catch(() => {
      if (made === making) made = undefined;
    });
    return making;
  };
}
