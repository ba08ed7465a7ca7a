import { auditUnavailable } from '../audit/audit.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { Link } from './link.ts';
import type { JobAnswer, ParentCalls, WrittenJob } from './protocol.ts';
import { received } from './sent-error.ts';

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Append extends Waiting<void> {
  readonly lines: string;
}

interface Commit extends Waiting<unknown> {
  readonly job: WrittenJob;
}

/**
 * What a child gives its parent to write: audit events, and jobs (store/relay.ts). There is one message at a time, and
 * the next takes all that has come meanwhile, so that many share one commit. A held event goes with the next message:
 * before its own job, which is submitted later, and again if the parent could not store it.
 */
export class ChildWrites {
  readonly #link: Link<ParentCalls>;
  #held: string[] = [];
  #appends: Append[] = [];
  #commits: Commit[] = [];
  #isSending = false;

  constructor(link: Link<ParentCalls>) {
    this.#link = link;
  }

  /** `line`: a printed event. It is durable before the jobs that are submitted later. */
  hold(line: string): void {
    this.#held.push(line);
  }

  /** `lines`: printed events. They are durable when it resolves; throws `StoreUnavailable` if they are not. */
  append(lines: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#appends.push({ lines, resolve, reject });
      this.#send();
    });
  }

  /** As in `WriteRelay`. Throws FhirError 503 if the events before records could not be stored. */
  commit(...job: WrittenJob): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#commits.push({ job, resolve, reject });
      this.#send();
    });
  }

  #send(): void {
    if (this.#isSending) return;
    this.#isSending = true;
    // With what comes in this turn of the event loop.
    setImmediate(() => void this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    while (this.#appends.length > 0 || this.#commits.length > 0) {
      const [held, appends, commits] = [this.#held, this.#appends, this.#commits];
      [this.#held, this.#appends, this.#commits] = [[], [], []];
      try {
        const lines = [...held, ...appends.map(append => append.lines)].join('\n');
        const jobsOf = commits.map(({ job }) => job);
        const answer = this.#link.ask('write', lines, jobsOf);
        void this.#link.flush();
        const { failed, jobs } = await answer;
        if (failed !== undefined) this.#held = [...held, ...this.#held];
        for (const { resolve, reject } of appends)
          if (failed === undefined) resolve();
          else reject(new StoreUnavailable(failed, 'The audit log cannot be written'));
        for (const [at, commit] of commits.entries()) settle(commit, jobs[at]);
      } catch (error) {
        for (const { reject } of [...appends, ...commits]) reject(error);
      }
    }
    this.#isSending = false;
  }
}

function settle({ resolve, reject }: Commit, answer: JobAnswer | undefined): void {
  if (answer === undefined) reject(new Error('A write has an answer for each job'));
  else if (answer.kind === 'done') resolve(answer.value);
  else if (answer.kind === 'failed') reject(received(answer.error));
  else reject(auditUnavailable(answer.reason));
}
