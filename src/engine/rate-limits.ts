import { createClientLimit } from '../interaction/client-limit.ts';
import type { ChargeClient } from '../interaction/interaction.ts';
import { createBuckets } from '../token-buckets.ts';
import type { Buckets } from '../token-buckets.ts';

/** The buckets of a limit per minute. Half of it may be used at once; 0 is no limit, and gives undefined. */
export function bucketsOf(perMinute: number, now: () => number): Buckets | undefined {
  if (perMinute === 0) return undefined;
  return createBuckets({ perSecond: perMinute / 60, capacity: Math.max(1, Math.floor(perMinute / 2)) }, now);
}

/** The limit of each client; undefined without one. */
export function clientLimitOf(perMinute: number, now: () => number): ChargeClient | undefined {
  const buckets = bucketsOf(perMinute, now);
  return buckets && createClientLimit(buckets);
}
