import { setImmediate } from 'node:timers/promises';

/** How long a request may work until others have their turn, in milliseconds. */
const longest = 20;

/** The turns of one request, whatever its parts are. */
export class Turns {
  #since = performance.now();

  /** Waits until the other requests have had their turn, if this one has worked long enough; else undefined. */
  next(): Promise<void> | undefined {
    return performance.now() - this.#since < longest ? undefined : this.#rest();
  }

  async #rest(): Promise<void> {
    await setImmediate();
    this.#since = performance.now();
  }
}
