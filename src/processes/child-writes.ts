import { auditUnavailable } from '../audit/audit.ts';
import type { AuditParts } from '../audit/audit.ts';
import { StoreUnavailable } from '../store/port/errors.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { AuditSink } from '../audit/log/log.ts';
import { printRecord } from '../store/audit/line.ts';
import type { Link } from './link.ts';
import type { JobAnswer, ParentCalls, WriteAnswer, WrittenJob } from './protocol.ts';
import { received } from './sent-error.ts';

interface PendingAppend<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

interface Append extends PendingAppend<void> {
  readonly lines: string;
}

interface Commit extends PendingAppend<unknown> {
  readonly job: WrittenJob;
}

/**
 * What a child gives its parent to write: audit events, and jobs (store/server/relay.ts). One message with jobs is on
 * its way at a time, and the next takes all that have come meanwhile, so that many share one commit. It waits for all
 * messages before it, so that a held event is durable before its own job, which is submitted later. Events that are
 * appended do not wait for jobs: a writer that takes long is not a failing log.
 */
export class ChildWrites {
  readonly #link: Link<ParentCalls>;
  #held: string[] = [];
  #appends: Append[] = [];
  #commits: Commit[] = [];
  #isScheduled = false;
  #isAppending = false;
  #isCommitting = false;

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
      this.#schedule();
    });
  }

  /** Commits a prepared write. Throws FhirError 503 if the events before records could not be stored. */
  commit(...job: WrittenJob): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#commits.push({ job, resolve, reject });
      this.#schedule();
    });
  }

  /** Sends what can be sent, with what comes in this turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#isAppending) return;
    if (this.#commits.length > 0 && !this.#isCommitting) void this.#commitAll();
    if (this.#appends.length > 0) void this.#appendAll();
    void this.#link.flush();
  }

  async #commitAll(): Promise<void> {
    const commits = this.#commits;
    this.#commits = [];
    this.#isCommitting = true;
    try {
      const { jobs } = await this.#write(
        [],
        commits.map(({ job }) => job),
      );
      for (const [at, commit] of commits.entries()) settle(commit, jobs[at]);
    } catch (error) {
      for (const { reject } of commits) reject(error);
    }
    this.#isCommitting = false;
    this.#send();
  }

  async #appendAll(): Promise<void> {
    const appends = this.#appends;
    this.#appends = [];
    this.#isAppending = true;
    try {
      const lines = appends.map(append => append.lines);
      const { failed } = await this.#write(lines, []);
      if (failed !== undefined) throw new StoreUnavailable(failed, 'The audit log cannot be written');
      for (const { resolve } of appends) resolve();
    } catch (error) {
      for (const { reject } of appends) reject(error);
    }
    this.#isAppending = false;
    this.#send();
  }

  /** The held events come first, and are held again if they could not be stored. */
  async #write(lines: readonly string[], jobs: readonly WrittenJob[]): Promise<WriteAnswer> {
    const held = this.#held;
    this.#held = [];
    let isStored = false;
    try {
      const answer = await this.#link.ask('write', [...held, ...lines].join('\n'), jobs);
      isStored = answer.failed === undefined;
      return answer;
    } finally {
      if (!isStored) this.#held = [...held, ...this.#held];
    }
  }
}

function settle({ resolve, reject }: Commit, answer: JobAnswer | undefined): void {
  if (answer === undefined) reject(new Error('A write has an answer for each job'));
  else if (answer.kind === 'done') resolve(answer.value);
  else if (answer.kind === 'failed') reject(received(answer.error));
  else reject(auditUnavailable(answer.reason));
}

/** The audit log of a child: its parent appends the events. */
interface ChildAuditSink extends AuditSink {
  /** Why the events of any child cannot be stored; undefined if they can. */
  setFailing(reason: UnavailableReason | undefined): void;
}

/** `whenFailing`: as in `AuditParts`. */
export function createAuditSink(
  link: Link<ParentCalls>,
  writes: ChildWrites,
  whenFailing: AuditParts['whenFailing'],
): ChildAuditSink {
  let failing: UnavailableReason | undefined;
  return {
    append: async events => (events.length === 0 ? undefined : writes.append(events.map(printRecord).join('\n'))),
    // If a write is to be done without its event, the event has to be appended apart from it.
    ...(whenFailing === 'refuse' && { hold: event => writes.hold(printRecord(event)) }),
    isReported: true,
    refused: refusal => link.tell('refused', refusal),
    get failing() {
      return failing;
    },
    setFailing: reason => void (failing = reason),
  };
}
