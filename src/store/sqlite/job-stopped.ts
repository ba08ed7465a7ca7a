import type { JobResult } from './jobs.ts';

/** Thrown inside the savepoint of a job, to undo it. */
export class JobStopped extends Error {
  readonly result: JobResult;
  constructor(result: JobResult) {
    super(result.kind);
    this.result = result;
  }
}
