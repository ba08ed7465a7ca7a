import { parseChanges } from './job-text.ts';
import { longestHold } from './jobs.ts';
import type { PreparedChange, SentPart } from './jobs.ts';

interface Held {
  readonly parts: SentPart[];
  readonly timer: NodeJS.Timeout;
}

/** The parts of large writes whose job has not come yet; of one that never comes they are let go after a while. */
export class HeldParts {
  readonly #held = new Map<string, Held>();

  add(part: SentPart): void {
    const held = this.#held.get(part.part) ?? this.#begin(part.part);
    held.parts.push(part);
    held.timer.refresh();
  }

  /** The changes of a job's parts, one part after the other, which are let go; undefined if they are not there. */
  take(name: string): (() => Iterable<readonly PreparedChange[]>) | undefined {
    const held = this.#held.get(name);
    if (held === undefined) return undefined;
    clearTimeout(held.timer);
    this.#held.delete(name);
    return function* () {
      for (const part of held.parts) yield parseChanges(part);
    };
  }

  #begin(name: string): Held {
    const timer = setTimeout(() => this.#held.delete(name), longestHold).unref();
    const held = { parts: [], timer };
    this.#held.set(name, held);
    return held;
  }
}
