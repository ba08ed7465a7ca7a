/** How long fhirpath.js may take, in milliseconds. */
export interface Limits {
  /** For one expression on one value. */
  readonly each: number;
  /** For all expressions of one record. */
  readonly all: number;
}

/** Far more than what an expression takes that comes to an end: a machine may be busy. */
export const usual: Limits = { each: 2_000, all: 5_000 };

/** For the thread to start and to load the package, also on a machine that is busy. */
export const start = 60_000;

/** After so long without work a thread ends, and its memory is free again. */
export const idle = 60_000;
