import { createReadStream } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { measure } from '../record/digest.ts';

/** Bytes per read. */
const readSize = 1024 * 1024;

/** SHA-256 of a file, in hex; `step` receives the number of bytes read so far. */
export async function digestOfFile(path: string, pace?: Pace, step?: (done: number) => void): Promise<string> {
  return (await measure(read(path, pace, step))).digest;
}

async function* read(path: string, pace?: Pace, step?: (done: number) => void): AsyncIterable<Uint8Array> {
  let done = 0;
  for await (const bytes of createReadStream(path, { highWaterMark: readSize })) {
    const part = bytes as Buffer; // a stream without encoding gives bytes
    yield part;
    done += part.length;
    step?.(done);
    await pace?.spend(part.length);
  }
}

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

  /** Spends bytes in a callback that cannot await: the thread sleeps. */
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
