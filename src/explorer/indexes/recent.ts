/** The last value, and the measurement that is running. */
interface Measured<T> {
  value: { readonly of: T; readonly at: number } | undefined;
  measuring: Promise<unknown> | undefined;
}

/** What takes too long for each page: values by key, measured again in the background when they are old. */
export class Recent<T> {
  readonly #freshness: number;
  readonly #kept = new WeakMap<object, Map<string, Measured<T>>>();

  /** `freshness`: milliseconds for which a value is not measured again. */
  constructor(freshness: number) {
    this.#freshness = freshness;
  }

  /**
   * The last value of a key with its time in milliseconds since 1970 UTC; undefined before the first. `owner`
   * identifies the server; `failed` receives errors of a measurement in the background.
   */
  last(owner: object, key: string, { measure, now, failed }: Measure<T>): Measured<T>['value'] {
    const kept = this.#of(owner, key);
    const isFresh = kept.value !== undefined && now() - kept.value.at < this.#freshness;
    if (!isFresh && kept.measuring === undefined)
      kept.measuring = measure()
        .then(of => (kept.value = { of, at: now() }), failed)
        .finally(() => (kept.measuring = undefined));
    return kept.value;
  }

  /** The last value, or the first one once it is measured. Throws the error of the first measurement. */
  async get(owner: object, key: string, { measure, now, failed }: Measure<T>): Promise<T> {
    const known = this.last(owner, key, { measure, now, failed });
    if (known !== undefined) return known.of;
    const kept = this.#of(owner, key);
    await kept.measuring;
    return kept.value?.of ?? measure();
  }

  #of(owner: object, key: string): Measured<T> {
    const byKey = this.#kept.get(owner) ?? new Map<string, Measured<T>>();
    this.#kept.set(owner, byKey);
    const kept = byKey.get(key) ?? { value: undefined, measuring: undefined };
    byKey.set(key, kept);
    return kept;
  }
}

/** How a value is measured. `now`: milliseconds since 1970 UTC. */
export interface Measure<T> {
  readonly measure: () => Promise<T>;
  readonly now: () => number;
  readonly failed: (error: unknown) => void;
}
