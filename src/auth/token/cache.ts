/** Values that are good until a time, at most so many: the one that was used longest ago goes first. */
export class Cache<T> {
  readonly #most: number;
  readonly #entries = new Map<string, { readonly value: T; readonly until: number }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `now` and `until` in milliseconds since 1970 UTC. */
  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= now) return undefined;
    this.#entries.set(key, entry); // to the end of the line
    return entry.value;
  }

  put(key: string, value: T, until: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#most && oldest !== undefined) this.#entries.delete(oldest);
  }
}
