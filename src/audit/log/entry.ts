/** An event, with what events are asked for by. */
export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly partition: string | undefined;
  readonly client: string | undefined;
  /** Ids of those whom it is about. */
  readonly patients: readonly string[];
  /** The event itself, as JSON without line breaks: whole, or as short as `audit/short-event.ts` has it. */
  readonly text: string;
}

/** What is given must all hold. */
export interface AuditFilter {
  readonly partition?: string;
  readonly client?: string;
  readonly patient?: string;
  /** Milliseconds since 1970 UTC: from this one on. */
  readonly since?: number;
  /** Milliseconds since 1970 UTC: before this one. */
  readonly until?: number;
}
