/** Equal refusals of unauthenticated callers. */
export interface Refusal {
  readonly status: number;
  /** Undefined if the path names no existing partition. */
  readonly partition: string | undefined;
  /** Empty for several addresses. */
  readonly address: string;
  readonly count: number;
  /** First and last time, in milliseconds since 1970 UTC. */
  readonly start: number;
  readonly end: number;
}
