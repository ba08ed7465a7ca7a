import type { Refusal } from './refusal.ts';

/** Equal refusals are merged within this time, in milliseconds. */
const window = 700;
/** Most distinct ones in that time; the others are counted by their status only. */
const most = 8;

/**
 * Counts the refusals of unauthenticated callers, so that a flood does not fill the disk: refusals with the same
 * status, partition and address become one event per window.
 */
export class Refusals {
  readonly #makeEvent: (refusal: Refusal) => void;
  #counted = new Map<string, Refusal>();
  #timer: NodeJS.Timeout | undefined;

  constructor(makeEvent: (refusal: Refusal) => void) {
    this.#makeEvent = makeEvent;
  }

  add(refusal: Refusal): void {
    const { status, partition, address } = refusal;
    const key = JSON.stringify([status, partition, address]);
    if (this.#counted.has(key) || this.#counted.size < most) this.#count(key, refusal);
    else this.#count(`${status}`, { ...refusal, partition: undefined, address: '' });
    this.#timer ??= setTimeout(() => this.flush(), window);
  }

  /** Makes the events of the counted refusals. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = this.#counted;
    this.#counted = new Map();
    for (const refusal of counted.values()) this.#makeEvent(refusal);
  }

  #count(key: string, refusal: Refusal): void {
    const before = this.#counted.get(key);
    const { count, start } = before ?? { count: 0, start: refusal.start };
    this.#counted.set(key, { ...refusal, count: count + refusal.count, start });
  }
}
