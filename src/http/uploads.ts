import type { IncomingMessage } from 'node:http';
import { fhirError } from '../fhir/error.ts';

/** Bytes above which a body is an upload. */
export const largeBody = 1024 * 1024;
/** Maximum number of uploads in memory. */
export const mostUploads = 4;
/** How long another one waits unread, in milliseconds. */
export const longestUploadWait = 10_000;

/** The places for uploads in this process, which limit its memory. */
export interface Uploads {
  /**
   * Waits for a place, in order, and takes it; the result releases it. Throws FhirError 503 on timeout, and 400 if the
   * client disconnects meanwhile.
   */
  enter(request: IncomingMessage): Promise<() => void>;
  /** The number of uploads without a place. */
  readonly waiting: number;
}

/** `most` places, for which a request waits `longest` milliseconds. */
export function createUploads(most: number, longest: number): Uploads {
  let taken = 0;
  const waiting = new Set<() => void>();
  const place = (): (() => void) => {
    taken++;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      taken--;
      const [next] = waiting;
      next?.();
    };
  };
  return {
    get waiting() {
      return waiting.size;
    },
    enter(request) {
      if (taken < most && waiting.size === 0) return Promise.resolve(place());
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => leave(() => reject(busy())), longest);
        const left = (): void => leave(() => reject(gone()));
        const called = (): void => leave(() => resolve(place()));
        const leave = (then: () => void): void => {
          clearTimeout(timer);
          waiting.delete(called);
          request.off('close', left);
          then();
        };
        waiting.add(called);
        request.once('close', left);
      });
    },
  };
}

const busy = () =>
  fhirError(503, 'throttled', 'Too many large bodies are being read. Retry later.', undefined, {
    'Retry-After': '10',
  });

const gone = () => fhirError(400, 'invalid', 'The request body ended before it was complete.');
