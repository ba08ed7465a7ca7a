/** An invariant of R4 that cannot be taken as it is published. */
export interface Exception {
  /** The expression that is evaluated in its place; `nothing` where it is left out. */
  readonly instead: string;
  readonly reason: string;
}

/** The known mistakes in the invariants of R4 4.0.1, by key. */
export const exceptions: ReadonlyMap<string, Exception> = new Map<string, Exception>([]);
