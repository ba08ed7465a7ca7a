import type { IncomingMessage } from 'node:http';
import { fhirError } from '../fhir/error.ts';
import { takeOrRefuse } from '../fhir/rate-limited.ts';
import type { Buckets } from '../token-buckets.ts';
import { seldom } from '../observability/seldom.ts';
import type { ShareOf } from './shares.ts';

/**
 * The places for requests in this process: the maximum number of concurrent requests, including those that wait for the
 * store.
 */
export interface Places {
  /**
   * Takes a place for a request of a client. Throws, without waiting, FhirError 503 if there is none, and 429 if the
   * address has sent too many.
   */
  enter(request: IncomingMessage, address: string): Place;
  /** The number of running requests. */
  readonly taken: number;
}

export interface Place {
  /** Releases it; may be called again. */
  leave(): void;
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
 * `most` places. The last quarter is reserved for shares that hold less than a quarter, so that a client with many
 * concurrent requests does not block others. `notice` receives a rate-limited notice when requests are rejected. Each
 * request costs its share a token of `ofAddress`.
 */
export function createPlaces(
  most: number,
  shareOf: ShareOf,
  notice: (text: string) => void,
  ofAddress?: Buckets,
): Places {
  const taken = new Map<string, number>();
  let count = 0;
  const isTime = seldom(noticeInterval);
  const take = (share: string | undefined): void => {
    const own = share === undefined ? 0 : (taken.get(share) ?? 0);
    if (count >= most || (count >= most * 0.75 && own >= most * 0.25)) {
      if (isTime())
        notice(`${count} requests are running (\`max-requests\` is ${most}): further ones are answered 503.`);
      throw busy();
    }
    count += 1;
    if (share !== undefined) taken.set(share, own + 1);
  };
  const give = (share: string | undefined): void => {
    count -= 1;
    if (share === undefined) return;
    const left = (taken.get(share) ?? 0) - 1;
    if (left > 0) taken.set(share, left);
    else taken.delete(share);
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
          if (isHeld) give(share);
          isHeld = false;
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
