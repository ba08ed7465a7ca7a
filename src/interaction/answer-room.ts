import { setImmediate } from 'node:timers/promises';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import { mostPageText } from '../store/port/pages.ts';

/** Most characters of one answer, whose entries count together: a Bundle beyond it is too costly. */
export const longestAnswer = 32 * 1024 * 1024;

/** Characters of an answer that are not counted: small ones are bounded by the number of requests. */
const free = 64 * 1024;

/** Takes and gives back room for so many characters among the answers of all requests; false if there is none. */
export interface AnswerCounts {
  take(characters: number): boolean;
  give(characters: number): void;
  /** Waits until the request may read much; the result lets the next one read. */
  read(): Promise<() => void>;
}

/**
 * The room for the answer of one request. The characters that it has are counted among all answers of the process until
 * the answer is sent or given up, and `end` is called.
 */
export class AnswerRoom {
  readonly #counts: AnswerCounts;
  #taken = 0;
  #counted = 0;
  #other = 0;
  #isFull = false;

  constructor(counts: AnswerCounts) {
    this.#counts = counts;
  }

  /** Whether nothing is counted among the answers of all requests. */
  get isEmpty(): boolean {
    return this.#counted + this.#other === 0;
  }

  /** The characters that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Throws FhirError 403 if a part of the answer did not fit: later parts need not be made. */
  requireRoom(): void {
    if (this.#isFull) throw tooLong();
  }

  /** Whether the answer may have so many characters more. */
  fits(characters: number): boolean {
    return this.#taken + characters <= longestAnswer;
  }

  /** Takes room. Throws FhirError 403 beyond `longestAnswer`, and 503 if the answers of all requests are too long. */
  take(characters: number): void {
    if (this.#taken + characters > longestAnswer) {
      this.#isFull = true;
      throw tooLong();
    }
    this.#taken += characters;
    if (this.#taken <= free) return;
    const missing = this.#taken - this.#counted;
    if (!this.#counts.take(missing)) {
      this.#taken -= characters;
      throw busy();
    }
    this.#counted += missing;
  }

  /** Takes room for the answer in another form, beside the first. Throws FhirError 503 if there is none. */
  takeForm(characters: number): void {
    if (!this.#counts.take(characters)) throw busy();
    this.#other += characters;
  }

  /**
   * Does work that may read so many characters, with room for them among the answers of all requests until it ends, so
   * that many requests at once do not read what none of them can send. A few do so at a time, others wait without an
   * answer in memory. Throws FhirError 503 if there is no room then.
   */
  async during<T>(characters: number, work: () => Promise<T>): Promise<T> {
    const end = await this.#counts.read();
    try {
      if (!this.#counts.take(characters)) throw busy();
      try {
        return await work();
      } finally {
        this.#counts.give(characters);
      }
    } finally {
      end();
    }
  }

  /** Gives back what was taken beyond so many characters, for an answer that is made again. */
  giveBack(taken: number): void {
    this.#taken = taken;
    this.#isFull = false;
    if (this.#counted <= taken) return;
    this.#counts.give(this.#counted - taken);
    this.#counted = taken;
  }

  /** Gives back everything. */
  end(): void {
    this.giveBack(0);
    this.#counts.give(this.#other);
    this.#other = 0;
  }
}

/** Records that are read without room of their own: their number bounds them. */
const few = 64;

/** Reads a page of so many records, and what goes with them if `others`, with room for it in the answers. */
export const readInRoom = <T>(
  room: AnswerRoom | undefined,
  { count, others }: { readonly count: number; readonly others: boolean },
  read: () => Promise<T>,
): Promise<T> => {
  if (room === undefined || (count <= few && !others)) return read();
  return room.during(mostPageText, others ? read : () => ownTurn().then(read));
};

let last: Promise<unknown> = Promise.resolve();

/** Waits for a turn of the event loop that no other long page has: of many at once, other requests come between two. */
function ownTurn(): Promise<unknown> {
  last = last.then(() => setImmediate());
  return last;
}

const tooLong = (): FhirError =>
  fhirError(
    403,
    'too-costly',
    `The answer exceeds ${longestAnswer / 1024 / 1024} MiB: request fewer entries at once, smaller pages, or parts ` +
      'of records by `_elements`.',
  );

const busy = (): FhirError =>
  fhirError(503, 'throttled', 'The answers of all requests are too long. Retry in a moment.', undefined, {
    'Retry-After': '1',
  });
