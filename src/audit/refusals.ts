import type { Refusal } from './request-event.ts';

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

  /** `time` in milliseconds since 1970 UTC. */
  add(status: number, partition: string | undefined, address: string, time: number): void {
    const key = JSON.stringify([status, partition, address]);
    if (this.#counted.has(key) || this.#counted.size < most) this.#count(key, { status, partition, address }, time);
    else this.#count(`${status}`, { status, partition: undefined, address: '' }, time);
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

  #count(key: string, alike: Pick<Refusal, 'status' | 'partition' | 'address'>, time: number): void {
    const before = this.#counted.get(key);
    this.#counted.set(key, { ...alike, count: (before?.count ?? 0) + 1, start: before?.start ?? time, end: time });
  }
}
