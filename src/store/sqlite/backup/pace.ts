import { setTimeout } from 'node:timers/promises';

/** Waits shorter than this many milliseconds are joined. */
const least = 2;

/** Limits how many bytes are copied or read in a second, so that a server beside keeps its share of the disk. */
export class Pace {
  readonly #perMillisecond: number;
  /** When what was spent so far is due, by `performance.now()`. */
  #due = 0;

  /** `bytes` a second; Infinity for no limit. */
  constructor(bytes: number) {
    this.#perMillisecond = bytes / 1000;
  }

  /** Resolves when so many bytes more may follow. */
  async spend(bytes: number): Promise<void> {
    const wait = this.#wait(bytes);
    if (wait > 0) await setTimeout(wait);
  }

  /** The same for a callback that cannot await: the thread sleeps. */
  spendAsleep(bytes: number): void {
    const wait = this.#wait(bytes);
    if (wait > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
  }

  /** Time that was not used is not saved up: it would be a burst. */
  #wait(bytes: number): number {
    const now = performance.now();
    this.#due = Math.max(this.#due, now) + bytes / this.#perMillisecond;
    const wait = this.#due - now;
    return wait < least ? 0 : wait;
  }
}
