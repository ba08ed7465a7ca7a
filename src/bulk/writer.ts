import { type Change, type Mark, type Partition, VersionConflict, type WriteResult } from '../store/store.ts';
import type { Counts } from './progress.ts';

/** How long a write may take, in milliseconds: a server beside us waits for no longer than that. */
const target = 35;
const smallest = 50;
const largest = 2000;
const mostBytes = 4 * 1024 * 1024;
/** The position before anything was loaded: no file, no record. */
export const start = '0 0';

/** Writes under way: one is written while the next one waits, and the one after it is read. */
const mostInFlight = 2;

/**
 * Writes changes in batches whose size follows the time that they take. Each batch carries the mark of how far the load is, so
 * that an interrupted load goes on where the last durable batch ended.
 */
export class BatchWriter {
  readonly #partition: Partition;
  readonly #counts: Counts;
  readonly #key: string | undefined;
  /** What the mark is to say: everything up to here is in what was added. */
  position = start;
  #markWritten: string | undefined;

  #changes: Change[] = [];
  #keys = new Set<string>();
  #bytes = 0;
  #limit = 300;
  readonly #inFlight = new Set<Promise<void>>();
  #lastEnd = 0;
  #failure: { readonly error: unknown; readonly mark: string } | undefined;

  /** `key` of the mark, undefined where there is none; `written` is what the mark says now, undefined where it is not there. */
  constructor(partition: Partition, counts: Counts, key: string | undefined, written: string | undefined) {
    this.#partition = partition;
    this.#counts = counts;
    this.#key = key;
    this.#markWritten = written;
    this.position = written ?? start;
  }

  /** Adds a change; waits where enough is under way. Throws what writing throws. */
  add(change: Change): Promise<void> | undefined {
    const key = `${change.type}/${change.id}`;
    // Two versions of one resource are two commits, so that each has a time of its own.
    const waiting = this.#keys.has(key) ? this.#send() : undefined;
    this.#changes.push(change);
    this.#keys.add(key);
    this.#bytes += change.kind === 'put' ? change.text.before.length + change.text.after.length : 0;
    const full = this.#changes.length >= this.#limit || this.#bytes >= mostBytes;
    if (!full) return waiting;
    return waiting === undefined ? this.#send() : waiting.then(() => this.#send());
  }

  /** Everything that was added is durable when it resolves. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#settle();
  }

  /** Writes changes in a commit of their own, after all others; false where a precondition does not hold. */
  async alone(changes: readonly Change[]): Promise<boolean> {
    await this.flush();
    try {
      const mark = this.#mark();
      this.#count(await this.#partition.write(changes, mark));
      this.#markWritten = mark?.value;
      return true;
    } catch (error) {
      if (error instanceof VersionConflict) return false;
      throw error;
    }
  }

  /** Flushes, and leaves the mark as it is when nothing was loaded: loading again starts from the beginning. */
  async finish(): Promise<void> {
    this.position = start;
    await this.flush();
    const mark = this.#mark();
    if (mark !== undefined && this.#markWritten !== undefined && this.#markWritten !== start) {
      await this.#partition.write([], mark);
    }
  }

  async #send(): Promise<void> {
    const changes = this.#changes;
    const mark = this.#mark();
    const before = this.#markWritten ?? start;
    if (changes.length > 0) {
      this.#changes = [];
      this.#keys = new Set();
      this.#bytes = 0;
      this.#markWritten = mark?.value;
      const run = this.#write(changes, mark, before).finally(() => {
        this.#inFlight.delete(run);
      });
      this.#inFlight.add(run);
    }
    while (this.#inFlight.size >= mostInFlight) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) await this.#settle();
  }

  async #write(changes: readonly Change[], mark: Mark | undefined, before: string): Promise<void> {
    const started = performance.now();
    try {
      this.#count(await this.#partition.write(changes, mark));
    } catch (error) {
      this.#failure ??= { error, mark: before };
      return;
    }
    const ended = performance.now();
    this.#adapt(changes.length, ended - Math.max(started, this.#lastEnd));
    this.#lastEnd = ended;
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#inFlight);
    if (this.#failure === undefined) return;
    const { error, mark } = this.#failure;
    // A later batch may have been written with a mark that is past the one that failed.
    if (this.#key !== undefined) {
      await this.#partition.write([], { key: this.#key, value: mark }).catch(() => undefined);
    }
    throw error;
  }

  #mark(): Mark | undefined {
    return this.#key === undefined ? undefined : { key: this.#key, value: this.position };
  }

  #adapt(changes: number, milliseconds: number): void {
    const fitting = (changes * target) / Math.max(1, milliseconds);
    const next = Math.min(fitting, this.#limit * 1.25);
    this.#limit = Math.round(Math.min(largest, Math.max(smallest, (this.#limit + next) / 2)));
  }

  #count(results: readonly WriteResult[]): void {
    for (const { outcome } of results) this.#counts[outcome]++;
  }
}
