import { setTimeout } from 'node:timers/promises';

/** Shorter waits are merged, in milliseconds. */
const least = 2;

/** Limits the bytes that are copied or read per second, so that a running server keeps its share of the disk. */
export class Pace {
  readonly #perMillisecond: number;
  /** When the bytes spent so far are due, by `performance.now()`. */
  #due = 0;

  /** `bytes` per second; Infinity for no limit. */
  constructor(bytes: number) {
    this.#perMillisecond = bytes / 1000;
  }

  /** Resolves when further bytes may follow. */
  async spend(bytes: number): Promise<void> {
    const wait = this.#wait(bytes);
    if (wait > 0) await setTimeout(wait);
  }

  /** The same for a callback that cannot await: the thread sleeps. */
  spendAsleep(bytes: number): void {
    const wait = this.#wait(bytes);
    if (wait > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  }

  /** Unused time is not saved up: it would allow a burst. */
  #wait(bytes: number): number {
    const now = performance.now();
    this.#due = Math.max(this.#due, now) + bytes / this.#perMillisecond;
    const wait = this.#due - now;
    return wait < least ? 0 : wait;
  }
}
