import type { AuditedAnswer, AuditedRequest } from './request.ts';

/**
 * Most requests that wait: their events are made together, which takes half the time of making them between requests.
 */
const most = 64;
/** Most characters of the records of waiting requests, which are held in memory. */
const longest = 256 * 1024;

type MakeEvent = (request: AuditedRequest, answer: AuditedAnswer, at: number) => void;

/** Answered requests without an event yet. */
export class PendingEvents {
  #waiting: (readonly [MakeEvent, ...Parameters<MakeEvent>])[] = [];
  #length = 0;

  get waiting(): number {
    return this.#waiting.length;
  }

  /** `makeEvent` follows the definitions of the request; `at` in milliseconds since 1970 UTC. */
  add(makeEvent: MakeEvent, request: AuditedRequest, answer: AuditedAnswer, at: number): void {
    this.#waiting.push([makeEvent, request, answer, at]);
    for (const { text } of answer.records) this.#length += text?.length ?? 0;
    if (this.#waiting.length >= most || this.#length > longest) this.flush();
  }

  /** Makes the events of the waiting requests, in their order. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    for (const [makeEvent, ...of] of waiting) makeEvent(...of);
  }
}
