import type { Refusal } from './request-event.ts';

/** How long those that are alike are counted, in milliseconds. */
const window = 700;
/** Most that are told apart in that time; the others are counted by their status alone. */
const most = 8;

/**
 * Counts the refusals of those whom nobody knows, so that whoever floods the server does not fill the disk: what is alike in
 * status, partition and address becomes one event for each window.
 */
export class Refusals {
  readonly #tell: (refusal: Refusal) => void;
  #counted = new Map<string, Refusal>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (refusal: Refusal) => void) {
    this.#tell = tell;
  }

  /** `time` in milliseconds since 1970 UTC. */
  add(status: number, partition: string | undefined, address: string, time: number): void {
    const key = JSON.stringify([status, partition, address]);
    if (this.#counted.has(key) || this.#counted.size < most) this.#count(key, { status, partition, address }, time);
    else this.#count(`${status}`, { status, partition: undefined, address: '' }, time);
    this.#timer ??= setTimeout(() => this.flush(), window);
  }

  /** Tells what was counted. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = this.#counted;
    this.#counted = new Map();
    for (const refusal of counted.values()) this.#tell(refusal);
  }

  #count(key: string, alike: Pick<Refusal, 'status' | 'partition' | 'address'>, time: number): void {
    const before = this.#counted.get(key);
    this.#counted.set(key, { ...alike, count: (before?.count ?? 0) + 1, start: before?.start ?? time, end: time });
  }
}
