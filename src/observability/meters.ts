/** A request that was answered, or whose client has disconnected. Never a query, an id or a name. */
export interface MeasuredRequest {
  /** The interaction, the operation as `$name`, or the kind of path of a request that is not for FHIR. */
  readonly interaction: string;
  /** A declared resource type, `undeclared`, or `none`. */
  readonly type: string;
  /** The HTTP status; undefined if the client disconnected before the answer was complete. */
  readonly status: number | undefined;
  readonly milliseconds: number;
}

/** What waits, and where. */
export type Queue = 'requests' | 'uploads' | 'writes' | 'searches' | 'audit';

/** The progress of indexes that are being built, of all partitions, by type. */
export interface IndexBacklog {
  readonly type: string;
  /** Parameters that cannot be searched yet. */
  readonly parameters: number;
  /** Index entries of records: made so far, and needed. */
  readonly done: number;
  readonly of: number;
}

/** Receives measurements. It exists only where metrics are served; nothing is measured otherwise. */
export interface Meters {
  request(request: MeasuredRequest): void;
  /** A call of the store port, which is named by its method. */
  storeCall(operation: string, milliseconds: number, failed: boolean): void;
  /** A commit of SQLite, or a checkpoint of its write-ahead log. */
  readonly written: (step: 'commit' | 'checkpoint', milliseconds: number) => void;
  /** The result of a token request; `grantType` is undefined if the request names none, or one that is unsupported. */
  readonly token: (what: 'issued' | 'refused' | 'revoked', grantType: string | undefined) => void;
  /** Registers the length of a queue, which is read at each scrape. */
  queue(name: Queue, length: () => number): void;
  /** Registers the progress of indexes, which is read at each scrape. */
  indexes(read: () => Promise<readonly IndexBacklog[]>): void;
}
