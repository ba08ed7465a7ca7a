export interface DocumentStore {
  get(key: string): Promise<unknown>;
  /** `expires` in milliseconds since 1970 UTC; undefined never. */
  put(key: string, value: unknown, expires?: number): Promise<void>;
  /** Stores only where the key is free; answers what is there afterwards. */
  putIfAbsent(key: string, value: unknown, expires?: number): Promise<unknown>;
  delete(key: string): Promise<void>;
  /**
   * What is there, in the order of the keys' characters, behind the key `after`; in parts, so that it may be of several
   * moments.
   */
  list(after?: string): AsyncIterable<{ readonly key: string; readonly value: unknown }>;
}
