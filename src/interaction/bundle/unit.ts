/** A part of an input that is read separately: a line, an entry of a Bundle, or a whole file. */
export interface Unit {
  /** Its place in the input: `line 12`, `entry 3`; empty for the whole. */
  readonly at: string;
  /** JSON text in UTF-8, if it is valid. */
  readonly bytes: Uint8Array;
  readonly is: 'line' | 'document' | 'entry';
  /** Why it cannot be read, if that is known already. */
  readonly problem?: string;
}

/** Maximum length of a line of NDJSON and of an entry, in bytes. */
export const maxRecord = 64 * 1024 * 1024;
/** Maximum length of a text in memory: a transaction, a single resource, a Bundle from stdin; in bytes. */
export const maxDocument = 256 * 1024 * 1024;
