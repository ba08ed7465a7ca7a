import type { Buckets } from '../limits/token-buckets.ts';
import { fhirError } from './error.ts';

/**
 * Takes the cost of a request from a bucket. Throws FhirError 429 with Retry-After and the headers of
 * https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10 if there are too few tokens. `whose` is
 * the name of the policy; the key never leaves the server.
 */
export function takeOrRefuse(buckets: Buckets, whose: 'client' | 'address', key: string, cost: number): void {
  const { capacity, perSecond } = buckets.rate;
  const { left, retryAfter } = buckets.take(key, cost);
  if (retryAfter === undefined) return;
  const window = Math.ceil(capacity / perSecond);
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  const text = `Too many requests of this ${whose}: wait ${seconds}, then send fewer, or cheaper searches.`;
  throw fhirError(429, 'throttled', text, undefined, {
    'Retry-After': String(retryAfter),
    'RateLimit-Policy': `"${whose}";q=${capacity};w=${window}`,
    RateLimit: `"${whose}";r=${left};t=${retryAfter}`,
  });
}
