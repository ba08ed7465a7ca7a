/** An event with the keys by which it is searched. */
export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly partition: string | undefined;
  readonly client: string | undefined;
  /** Ids of the owners that it concerns. */
  readonly patients: readonly string[];
  /** The event itself, as JSON without line breaks: whole, or in the short form of `audit/short-event.ts`. */
  readonly text: string;
}

/** All given conditions must match. */
export interface AuditFilter {
  readonly partition?: string;
  readonly client?: string;
  readonly patient?: string;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly since?: number;
  /** Milliseconds since 1970 UTC, exclusive. */
  readonly until?: number;
}
