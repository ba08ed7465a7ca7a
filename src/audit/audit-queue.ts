import type { AuditEntry } from '../store/audit/line.ts';
import { StoreUnavailable } from '../store/port/errors.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { AuditSink } from './log/log.ts';
import type { AuditedAnswer, AuditedRequest } from './request.ts';

/** How long an event may wait for others, in milliseconds. */
const wait = 100;
/** Delay before a retry, in milliseconds: the waiting events are printed again each time. */
const pause = 500;
/** Most waiting events, and their most characters; further events are lost, and counted. */
const most = { events: 50_000, length: 64 * 1024 * 1024 };
/** A write that takes longer counts as a failure of the log, in milliseconds. */
const longest = 5_000;

export interface BatchParts {
  readonly log: AuditSink;
  /** Receives the reason why events could not be stored. */
  readonly fault: (error: unknown) => void;
  /** The event that reports an interruption, with the number of lost events. */
  readonly outage: (lost: number) => AuditEntry;
  /** Adds deferred events, which are about to be stored. */
  readonly beforeFlush: () => void;
  /** Writes fail from now on, or no longer. */
  readonly changed: (failed: UnavailableReason | undefined) => void;
}

/** Stores events in batches, a few times a second, and retries a failed batch until it is stored. */
export class AuditQueue {
  readonly #parts: BatchParts;
  #waiting: AuditEntry[] = [];
  /** Total characters of the waiting events. */
  #length = 0;
  #lost = 0;
  /** Events were deferred since the last batch. */
  #scheduled = false;
  /** Why the last write failed. */
  #failed: UnavailableReason | undefined;
  /** Start of the current write (performance.now). */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #closed = false;

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** Why events cannot be stored, or not in time; undefined while they can. */
  get failing(): UnavailableReason | undefined {
    const isLate = this.#since !== undefined && performance.now() - this.#since > longest;
    return this.#failed ?? this.#parts.log.failing ?? (isLate ? 'timeout' : undefined);
  }

  /** Events that wait for their batch, those of a failed one included. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The event is durable within a second, unless the log fails. */
  add(event: AuditEntry): void {
    if (this.#closed) return; // the last connections were closed
    if (this.#waiting.length >= most.events || this.#length >= most.length) this.#lost += 1;
    else this.#push(event);
    this.#schedule();
  }

  /** Announces a deferred event, which is to be durable within a second. */
  schedule(): void {
    this.#scheduled = true;
    if (!this.#closed) this.#schedule();
  }

  /** Durable when it resolves, or before the next write if the log holds it. Throws the errors of the log. */
  async keep(event: AuditEntry): Promise<void> {
    const { log } = this.#parts;
    if (log.hold !== undefined) return log.hold(event);
    try {
      await log.append([event]);
    } catch (error) {
      this.fail(error);
      throw error;
    }
  }

  /** An event could not be stored, here or in another process: one that reports it is written until that succeeds. */
  fail(error: unknown): void {
    if (this.#failed === undefined) this.#push(this.#parts.outage(0));
    this.#setFailed(reasonOf(error));
    this.#parts.fault(error);
    this.#schedule();
  }

  /** Stores the waiting events; returns how many could not be stored. */
  async close(): Promise<number> {
    await this.#work;
    for (;;) {
      this.#parts.beforeFlush();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#waiting.length === 0) break;
      await (this.#work = this.#flush()); // events of closed connections, or of an interruption, may arrive meanwhile
      if (this.#failed !== undefined) break;
    }
    this.#parts.beforeFlush();
    this.#closed = true;
    clearTimeout(this.#timer);
    return this.#waiting.length + this.#lost;
  }

  #push(event: AuditEntry): void {
    this.#waiting.push(event);
    this.#length += event.text.length;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#work !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#scheduled = false;
        this.#parts.beforeFlush(); // the events that this adds need no timer of their own
        this.#timer = undefined;
        this.#work = this.#flush();
      },
      this.#failed === undefined ? wait : pause,
    );
  }

  async #flush(): Promise<void> {
    const events = this.#waiting;
    const length = this.#length;
    this.#waiting = [];
    this.#length = 0;
    this.#since = performance.now();
    try {
      await this.#parts.log.append(events);
      this.#setFailed(undefined);
    } catch (error) {
      this.#waiting = [...events, ...this.#waiting];
      this.#length += length;
      this.fail(error);
    }
    this.#since = undefined;
    this.#work = undefined;
    if (this.#failed === undefined && this.#lost > 0) {
      this.#push(this.#parts.outage(this.#lost));
      this.#lost = 0;
    }
    if (this.#waiting.length > 0 || this.#scheduled) this.#schedule();
  }

  #setFailed(reason: UnavailableReason | undefined): void {
    if (this.#failed === reason) return;
    this.#failed = reason;
    this.#parts.changed(reason);
  }
}

/** Why a log failed; `transient` if the store does not say. One whose end cannot be read cannot be written. */
export function reasonOf(error: unknown): UnavailableReason {
  const reason = error instanceof StoreUnavailable ? error.reason : 'transient';
  return reason === 'exception' ? 'no-store' : reason;
}

/**
 * Most requests that wait: their events are made together, which takes half the time of making them between requests.
 */
const mostPending = 64;
/** Most characters of the records of waiting requests, which are held in memory. */
const mostPendingText = 256 * 1024;

type MakeEvent = (request: AuditedRequest, answer: AuditedAnswer, at: number) => void;

/** Answered requests without an event yet. */
export class PendingEvents {
  #waiting: (readonly [MakeEvent, ...Parameters<MakeEvent>])[] = [];
  #length = 0;

  get waiting(): number {
    return this.#waiting.length;
  }

  /** `makeEvent` follows the definitions of the request; `at` in milliseconds since 1970 UTC. */
  add(makeEvent: MakeEvent, request: AuditedRequest, answer: AuditedAnswer, at: number): void {
    this.#waiting.push([makeEvent, request, answer, at]);
    for (const { text } of answer.records) this.#length += text?.length ?? 0;
    if (this.#waiting.length >= mostPending || this.#length > mostPendingText) this.flush();
  }

  /** Makes the events of the waiting requests, in their order. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    for (const [makeEvent, ...of] of waiting) makeEvent(...of);
  }
}
