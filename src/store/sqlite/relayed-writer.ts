import type { WriteRelay } from '../server/relay.ts';
import { printJob } from './job-text.ts';
import type { JobResult, SentPart, SubmittedJob } from './jobs.ts';
import { type JobWriter, requireDone } from './writer.ts';

/** The writer of a process that another one commits for. */
export class RelayedWriter implements JobWriter {
  readonly #relay: WriteRelay;
  #waiting = 0;
  #closed = false;

  constructor(relay: WriteRelay) {
    this.#relay = relay;
  }

  get waiting(): number {
    return this.#waiting;
  }

  async submit(asked: SubmittedJob): Promise<Exclude<JobResult, { kind: 'failed' }>> {
    if (this.#closed) throw new Error('The store is closed');
    // The process that writes brings definitions; this one follows them.
    if (asked.job.kind === 'register') return { kind: 'refused', message: othersApply };
    this.#waiting += 1;
    try {
      const isOfRecords = asked.job.kind === 'write';
      return requireDone((await this.#relay.commit(printJob(asked), isOfRecords)) as JobResult); // of writer.ts
    } finally {
      this.#waiting -= 1;
    }
  }

  async hold(part: SentPart): Promise<void> {
    requireDone((await this.#relay.commit(part, false)) as JobResult); // of writer.ts
  }

  problems(): Promise<readonly string[]> {
    return this.#relay.problems();
  }

  async close(): Promise<void> {
    this.#closed = true; // the callers of all jobs have been awaited
  }
}

const othersApply = 'Other definitions apply to this store, which this process could not load yet';
