import type { AuditEntry } from './log/entry.ts';
import type { AuditLog } from './log/log.ts';

/** How long an event may wait for others, in milliseconds. */
const wait = 100;
/** How long it waits until it tries again, in milliseconds: the waiting events are printed again each time. */
const pause = 500;
/** Most events that wait, and most characters of them; what comes when there are more is lost, and counted. */
const most = { events: 50_000, length: 64 * 1024 * 1024 };
/** From when on the log counts as failing while it keeps events, in milliseconds. */
const longest = 5_000;

export interface BatchParts {
  readonly log: AuditLog;
  /** Is told why events could not be kept. */
  readonly fault: (error: unknown) => void;
  /** The event that tells of a time in which events could not be kept, and how many were lost. */
  readonly outage: (lost: number) => AuditEntry;
  /** Adds the events that were put off: they are about to be kept. */
  readonly late: () => void;
}

/** Keeps events a few times a second, many at once; those that could not be kept it tries again until they are. */
export class Batch {
  readonly #parts: BatchParts;
  #waiting: AuditEntry[] = [];
  /** Characters of their texts. */
  #length = 0;
  #lost = 0;
  /** Events were put off since the last batch. */
  #expected = false;
  #failed = false;
  /** Since when events are being kept (performance.now). */
  #since: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #closed = false;

  constructor(parts: BatchParts) {
    this.#parts = parts;
  }

  /** True while events cannot be kept, or not in time. */
  get failing(): boolean {
    return this.#failed || (this.#since !== undefined && performance.now() - this.#since > longest);
  }

  /** Durable within a second, where the log works. */
  add(event: AuditEntry): void {
    if (this.#closed) return; // the last connections were cut
    if (this.#waiting.length >= most.events || this.#length >= most.length) this.#lost += 1;
    else this.#push(event);
    this.#schedule();
  }

  /** An event was put off, and is to be durable within a second. */
  expect(): void {
    this.#expected = true;
    if (!this.#closed) this.#schedule();
  }

  /** Durable when it resolves. Throws what the log throws. */
  async keep(event: AuditEntry): Promise<void> {
    try {
      await this.#parts.log.append([event]);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Keeps what waits; gives how many events could not be kept. */
  async close(): Promise<number> {
    await this.#work;
    for (;;) {
      this.#parts.late();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      if (this.#waiting.length === 0) break;
      await (this.#work = this.#flush()); // meanwhile some of connections that were cut may come, or what tells of an outage
      if (this.#failed) break;
    }
    this.#parts.late();
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
        this.#expected = false;
        this.#parts.late(); // what this adds needs no timer of its own
        this.#timer = undefined;
        this.#work = this.#flush();
      },
      this.#failed ? pause : wait,
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
      this.#failed = false;
    } catch (error) {
      this.#waiting = [...events, ...this.#waiting];
      this.#length += length;
      this.#fail(error);
    }
    this.#since = undefined;
    this.#work = undefined;
    if (!this.#failed && this.#lost > 0) {
      this.#push(this.#parts.outage(this.#lost));
      this.#lost = 0;
    }
    if (this.#waiting.length > 0 || this.#expected) this.#schedule();
  }

  /** From now on something waits, so that it is tried again. */
  #fail(error: unknown): void {
    if (!this.#failed) this.#push(this.#parts.outage(0));
    this.#failed = true;
    this.#parts.fault(error);
    this.#schedule();
  }
}
