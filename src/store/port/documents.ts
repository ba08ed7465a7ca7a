export interface PutOptions {
  /** Milliseconds since 1970 UTC; undefined: never. */
  readonly expires?: number | undefined;
  /** Stores only if the key is free. */
  readonly ifAbsent?: boolean;
  /** Stores only in place of this value, as `get` or `put` returned it. */
  readonly replaces?: unknown;
}

export interface DocumentStore {
  get(key: string): Promise<unknown>;
  /** Returns the value that is stored afterwards; with `replaces` undefined if nothing is stored. */
  put(key: string, value: unknown, options?: PutOptions): Promise<unknown>;
  delete(key: string): Promise<void>;
  /**
   * The documents in the order of their keys' characters, after the key `after`; read in parts, and therefore not a
   * snapshot.
   */
  list(after?: string): AsyncIterable<{ readonly key: string; readonly value: unknown }>;
}
