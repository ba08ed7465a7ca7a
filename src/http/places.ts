import type { IncomingMessage } from 'node:http';
import { fhirError } from '../fhir/error.ts';
import { seldom } from '../observability/seldom.ts';
import type { ShareOf } from './shares.ts';

/** The places for requests in this process: so many are worked on at a time, be it that they wait for the store. */
export interface Places {
  /** Takes a place for a request of a client. Throws FhirError 503 where there is none: nobody waits for one. */
  enter(request: IncomingMessage, address: string): Place;
}

export interface Place {
  /** Gives it back; may be called again. */
  leave(): void;
}

interface Held extends Place {
  /** As `enter`. */
  takeAgain(): void;
}

/** It is logged once in so many milliseconds that requests are refused. */
const quiet = 10_000;

/** Of requests that bring a body. */
const heldBy = new WeakMap<IncomingMessage, Held>();

/**
 * `most` places. The last quarter of them is for those who hold less than a quarter, so that a client that sends many requests at
 * once does not keep others out. `notice` is told, once in a while, that requests are refused.
 */
export function createPlaces(most: number, shareOf: ShareOf, notice: (text: string) => void): Places {
  const taken = new Map<string, number>();
  let count = 0;
  const isTime = seldom(quiet);
  const take = (share: string | undefined): void => {
    const own = share === undefined ? 0 : (taken.get(share) ?? 0);
    if (count >= most || (count >= most * 0.75 && own >= most * 0.25)) {
      if (isTime())
        notice(`${count} requests are being worked on (\`max-requests\` is ${most}): others are answered 503.`);
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
    enter(request, address) {
      const share = shareOf(address);
      take(share);
      let isHeld = true;
      const held: Held = {
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
 * Waits for the rest of a request without its place, so that clients that send slowly keep nobody out. Throws FhirError 503 where no
 * place is free then, and what `wait` throws.
 */
export async function withoutPlace<T>(request: IncomingMessage, wait: () => Promise<T>): Promise<T> {
  const held = request.complete ? undefined : heldBy.get(request); // what has come already takes no time
  held?.leave();
  const result = await wait();
  held?.takeAgain();
  return result;
}

const busy = () =>
  fhirError(503, 'throttled', 'The server has as many requests as it can work on; send this one again in a moment.', undefined, { 'Retry-After': '1' }); // prettier-ignore
