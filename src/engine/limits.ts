import type { Config } from '../config.ts';
import { createPlaceCounts } from '../http/places.ts';
import type { PlaceCounts } from '../http/places.ts';
import { mostUploads } from '../http/uploads.ts';
import { createSlots } from '../slots.ts';
import type { Slots } from '../slots.ts';
import { createBuckets } from '../token-buckets.ts';
import type { Buckets, LendingBuckets } from '../token-buckets.ts';
import { rateOf } from './rate-limits.ts';
import type { ShareBuckets } from './shared-limits.ts';

/** The limits that all processes of a server have in common. */
export interface Limits extends RateLimits<Buckets> {
  readonly places: PlaceCounts;
  readonly uploads: Slots;
  /** Whether a network may begin one more authorization request; undefined: this process counts them. */
  readonly mayAuthorize: ((network: string) => Promise<boolean>) | undefined;
}

/** By client and user, and by address; undefined without a limit. */
export interface RateLimits<B extends Buckets> {
  readonly ofClient: B | undefined;
  readonly ofAddress: B | undefined;
}

/** The limits that this process counts; `share` makes those that all servers of a store have in common. */
export function ownLimits(
  config: Config,
  now: () => number,
  share: ShareBuckets | undefined,
): Limits & RateLimits<LendingBuckets> {
  const bucketsOf = (name: string, perMinute: number): LendingBuckets | undefined => {
    const rate = rateOf(perMinute);
    return rate && (share === undefined ? createBuckets(rate, now) : share(name, rate));
  };
  return {
    places: createPlaceCounts(config.maxRequests),
    uploads: createSlots(mostUploads),
    ofClient: bucketsOf('client', config.rateLimitClient),
    ofAddress: bucketsOf('address', config.rateLimitAddress),
    mayAuthorize: undefined,
  };
}
