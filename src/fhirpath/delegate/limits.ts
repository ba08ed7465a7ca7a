/** Time limits of fhirpath.js, in milliseconds. */
export interface Limits {
  /** For one expression on one value. */
  readonly each: number;
  /** For all expressions of one record. */
  readonly all: number;
}

/** Much more than a terminating expression takes: a machine may be busy. */
export const usual: Limits = { each: 2_000, all: 5_000 };

/** For the start of the thread and the loading of the package, also on a busy machine. */
export const start = 60_000;

/** A thread without work ends after this time, which frees its memory. */
export const idle = 60_000;
