import { createBuckets } from '../token-buckets.ts';
import type { OwnBuckets, Rate } from '../token-buckets.ts';

/** The rate of a limit per minute. Half of it may be used at once; 0 is no limit, and gives undefined. */
export const rateOf = (perMinute: number): Rate | undefined =>
  perMinute === 0 ? undefined : { perSecond: perMinute / 60, capacity: Math.max(1, Math.floor(perMinute / 2)) };

/** The buckets of a limit per minute; undefined without one. */
export function bucketsOf(perMinute: number, now: () => number): OwnBuckets | undefined {
  const rate = rateOf(perMinute);
  return rate && createBuckets(rate, now);
}
