import type { AuditedAnswer, AuditedRequest } from './request.ts';

/** How many wait: their events are made in a row, which takes half the time that it takes between requests. */
const most = 64;
/** Most characters of records that wait, which are held in memory meanwhile. */
const longest = 256 * 1024;

type Tell = (request: AuditedRequest, answer: AuditedAnswer, at: number) => void;

/** Requests that were answered and have no event yet. */
export class Answers {
  readonly #tell: Tell;
  #waiting: Parameters<Tell>[] = [];
  #length = 0;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  /** `at` in milliseconds since 1970 UTC. */
  add(request: AuditedRequest, answer: AuditedAnswer, at: number): void {
    this.#waiting.push([request, answer, at]);
    for (const { text } of answer.records) this.#length += text?.length ?? 0;
    if (this.#waiting.length >= most || this.#length > longest) this.flush();
  }

  /** Tells those that wait, in the order in which they came. */
  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#length = 0;
    for (const [request, answer, at] of waiting) this.#tell(request, answer, at);
  }
}
