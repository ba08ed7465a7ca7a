import type { Rate } from '../../limits/token-buckets.ts';

/** The rate of a limit per minute. Half of it may be used at once; 0 is no limit, and gives undefined. */
export const rateOf = (perMinute: number): Rate | undefined =>
  perMinute === 0 ? undefined : { perSecond: perMinute / 60, capacity: Math.max(1, Math.floor(perMinute / 2)) };
