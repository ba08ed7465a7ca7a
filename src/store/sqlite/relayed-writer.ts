import type { WriteRelay } from '../relay.ts';
import { printJob } from './job-text.ts';
import type { JobResult, SentJob, SubmittedJob } from './jobs.ts';
import { type JobWriter, requireDone } from './writer.ts';

interface Waiting {
  readonly job: SentJob;
  readonly resolve: (result: JobResult) => void;
  readonly reject: (error: unknown) => void;
}

/** The writer of a process that another one commits for: the jobs of one turn of the event loop are sent together. */
export class RelayedWriter implements JobWriter {
  readonly #relay: WriteRelay;
  #next: Waiting[] = [];
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
      return requireDone(
        await new Promise<JobResult>((resolve, reject) => {
          if (this.#next.push({ job: printJob(asked), resolve, reject }) === 1) setImmediate(() => void this.#send());
        }),
      );
    } finally {
      this.#waiting -= 1;
    }
  }

  problems(): Promise<readonly string[]> {
    return this.#relay.problems();
  }

  async close(): Promise<void> {
    this.#closed = true; // the callers of all jobs have been awaited
  }

  async #send(): Promise<void> {
    const batch = this.#next;
    this.#next = [];
    try {
      const results = (await this.#relay.commit(batch.map(({ job }) => job))) as readonly JobResult[]; // of writer.ts
      for (const [at, { resolve, reject }] of batch.entries()) {
        const result = results[at];
        if (result === undefined) reject(new Error('The writer returned too few results'));
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

const othersApply = 'Other definitions apply to this store, which this process could not load yet';
