/**
 * The writes of the processes of one server that share an embedded store: each prepares its own, and one commits all of
 * them. Jobs and results are values that only the store reads.
 */
export interface WriteRelay {
  /**
   * The result of a prepared job, once it is durable. Throws `StoreUnavailable` if the writer has died: then it may
   * have been done. `isOfRecords`: audit events of its request come before it.
   */
  commit(job: unknown, isOfRecords: boolean): Promise<unknown>;
  /** The problems of the store for all processes, as in `StoreState`. */
  problems(): Promise<readonly string[]>;
  /** Reports a failure of the files beside the writer, in a sentence without ids or paths. */
  failed(doing: 'read' | 'write', summary: string): void;
}
