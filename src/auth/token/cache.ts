/** Values that are good until a time, at most so many: the one that was used longest ago goes first. */
export class Cache<T> {
  readonly #most: number;
  readonly #entries = new Map<string, Entry<T>>();
  /** The one that was used last: it is at the end of the line. */
  #last: Entry<T> | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** `now` and `until` in milliseconds since 1970 UTC. */
  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until <= now) {
      this.#entries.delete(key);
      return undefined;
    }
    if (entry !== this.#last) this.#toTheEnd(key, entry);
    return entry.value;
  }

  put(key: string, value: T, until: number): void {
    this.#toTheEnd(key, { value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Removes the entries that have expired by `now`; returns how many are left. */
  sweep(now: number): number {
    for (const [key, { until }] of this.#entries) if (until <= now) this.#entries.delete(key);
    if (this.#last !== undefined && this.#last.until <= now) this.#last = undefined;
    return this.#entries.size;
  }

  #toTheEnd(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#last = entry;
  }
}

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}
