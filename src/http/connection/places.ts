import type { IncomingMessage, ServerResponse } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import { takeOrRefuse } from '../../interaction/client-limit.ts';
import type { Buckets } from '../../limits/token-buckets.ts';
import { seldom } from '../../observability/seldom.ts';
import { AnswerRoom } from '../../interaction/answer-room.ts';
import { createSlots } from '../../limits/slots.ts';
import type { ShareOf } from './client-address.ts';

/** Most characters of the answers of a process that are made or not sent yet; small answers are not counted. */
const mostAnswers = 128 * 1024 * 1024;

/** Requests that read a long page at a time: what they may read is at most half of `mostAnswers`. */
const mostReading = 4;

/** The rooms for the answers of a process. */
export interface AnswerRooms {
  /** The room for the answer of a request from an address. */
  open(address: string): AnswerRoom;
}

/** Counts rooms by shares like places: the last quarter is for shares that hold less than a quarter. */
export function createAnswerRooms(shareOf: ShareOf): AnswerRooms {
  const counts = createPlaceCounts(mostAnswers);
  const reading = createSlots(mostReading);
  return {
    open(address) {
      const share = shareOf(address);
      return new AnswerRoom({
        take: characters => counts.take(share, characters),
        give: characters => counts.give(share, characters),
        read: () => reading.take(share),
      });
    },
  };
}

/** Gives the room back when the answer is sent, or the client has disconnected. */
export function endWith(response: ServerResponse, room: AnswerRoom): void {
  if (room.isEmpty) return;
  if (response.closed) room.end();
  else response.once('close', () => room.end());
}

/** The places for requests: the maximum number of concurrent requests, including those that wait for the store. */
export interface Places {
  /**
   * Takes a place for a request of a client. Throws, without waiting for one, FhirError 503 if there is none, and 429
   * if the address has sent too many.
   */
  enter(request: IncomingMessage, address: string): Place;
  /** The number of running requests. */
  readonly taken: number;
}

export interface Place {
  /** Releases it; may be called again. */
  leave(): void;
}

/**
 * Counts places, or other amounts such as characters, by shares; the share is undefined for addresses that many clients
 * may share.
 */
export interface PlaceCounts {
  /** Takes one place, or an amount; false if there is none. */
  take(share: string | undefined, amount?: number): boolean;
  give(share: string | undefined, amount?: number): void;
}

interface HeldPlace extends Place {
  /** Like `enter`. */
  takeAgain(): void;
}

/** Rejected requests are logged once in this time, in milliseconds. */
const noticeInterval = 10_000;

/** The places of requests with a body. */
const heldBy = new WeakMap<IncomingMessage, HeldPlace>();

/**
 * Counts up to `most`. The last quarter is reserved for shares that hold less than a quarter, so that a client with
 * many concurrent requests does not block others.
 */
export function createPlaceCounts(most: number): PlaceCounts {
  const ofShares = new Map<string, number>();
  let given = 0;
  return {
    take(share, amount = 1) {
      const own = share === undefined ? 0 : (ofShares.get(share) ?? 0);
      if (given + amount > most || (given >= most * 0.75 && own >= most * 0.25)) return false;
      given += amount;
      if (share !== undefined) ofShares.set(share, own + amount);
      return true;
    },
    give(share, amount = 1) {
      given -= amount;
      if (share === undefined) return;
      const left = (ofShares.get(share) ?? 0) - amount;
      if (left > 0) ofShares.set(share, left);
      else ofShares.delete(share);
    },
  };
}

/**
 * Makes `most` places. `notice` receives a rate-limited notice when requests are rejected. Each request costs its share
 * a token of `ofAddress`.
 */
export function createPlaces(
  most: number,
  shareOf: ShareOf,
  notice: (text: string) => void,
  ofAddress?: Buckets,
): Places {
  let count = 0;
  const counts = createPlaceCounts(most);
  const isTime = seldom(noticeInterval);
  const take = (share: string | undefined): void => {
    if (counts.take(share)) {
      count += 1;
      return;
    }
    if (isTime()) notice(`Too many requests are running (${most} by \`max-requests\`): further ones are answered 503.`);
    throw busy();
  };
  return {
    get taken() {
      return count;
    },
    enter(request, address) {
      const share = shareOf(address);
      if (ofAddress !== undefined && share !== undefined) takeOrRefuse(ofAddress, 'address', share, 1);
      take(share);
      let isHeld = true;
      const held: HeldPlace = {
        leave() {
          if (!isHeld) return;
          isHeld = false;
          count -= 1;
          counts.give(share);
        },
        takeAgain() {
          take(share);
          isHeld = true;
        },
      };
      if (!request.complete && request.method !== 'GET') heldBy.set(request, held);
      return held;
    },
  };
}

/**
 * Waits for the rest of a request without its place, so that slow clients do not block others. Throws FhirError 503 if
 * no place is free then, and the errors of `wait`.
 */
export async function withoutPlace<T>(request: IncomingMessage, wait: () => Promise<T>): Promise<T> {
  const held = request.complete ? undefined : heldBy.get(request); // a complete request does not wait
  held?.leave();
  const result = await wait();
  held?.takeAgain();
  return result;
}

const busy = () =>
  fhirError(503, 'throttled', 'The server has too many concurrent requests. Retry in a moment.', undefined, {
    'Retry-After': '1',
  });
