export interface DocumentStore {
  get(key: string): Promise<unknown>;
  /** `expires` in milliseconds since 1970 UTC; undefined never. */
  put(key: string, value: unknown, expires?: number): Promise<void>;
  /** Stores only if the key is free; returns the stored value afterwards. */
  putIfAbsent(key: string, value: unknown, expires?: number): Promise<unknown>;
  delete(key: string): Promise<void>;
  /**
   * The documents in the order of their keys' characters, after the key `after`; read in parts, and therefore not a
   * snapshot.
   */
  list(after?: string): AsyncIterable<{ readonly key: string; readonly value: unknown }>;
}
