/** A piece of an input that is read on its own: a line, an entry of a Bundle, or a whole file. */
export interface Unit {
  /** Where it is in the input: `line 12`, `entry 3`; empty for the whole. */
  readonly at: string;
  /** UTF-8 of a JSON text, as far as it is one. */
  readonly bytes: Uint8Array;
  readonly is: 'line' | 'document' | 'entry';
  /** Why it cannot be read, where that is known already. */
  readonly problem?: string;
}

/** An input that cannot be read on: what was read before it stands. */
export class BrokenInput extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'BrokenInput';
  }
}

/** Longest line of NDJSON and longest entry, in bytes. */
export const maxRecord = 64 * 1024 * 1024;
/** Longest text that is held in memory as one: a transaction, a single resource, a Bundle from stdin; in bytes. */
export const maxDocument = 256 * 1024 * 1024;
