import type { Config } from '../config.ts';
import { createPlaceCounts } from '../http/places.ts';
import type { PlaceCounts } from '../http/places.ts';
import { mostUploads } from '../http/uploads.ts';
import type { LeasedBuckets } from '../leased-buckets.ts';
import { createSlots } from '../slots.ts';
import type { Slots } from '../slots.ts';
import { authorizeRate } from '../smart/authorize-rate.ts';
import { createBuckets } from '../token-buckets.ts';
import type { Buckets, LendingBuckets, Rate } from '../token-buckets.ts';
import { rateOf } from './rate-limits.ts';
import type { ShareBuckets } from './shared-limits.ts';

/** The limits that all processes of a server have in common. */
export interface Limits extends RateLimits<Buckets> {
  readonly places: PlaceCounts;
  readonly uploads: Slots;
  /** Gives back what was borrowed and is not used: for a process that ends. */
  giveBack(): void;
}

/** By client and user, and by address, undefined without a limit; authorization requests by network. */
export interface RateLimits<B extends Buckets> {
  readonly ofClient: B | undefined;
  readonly ofAddress: B | undefined;
  readonly ofAuthorization: B;
}

/** The limits that this process counts; `share` makes those that all servers of a store have in common. */
export function ownLimits(
  config: Config,
  now: () => number,
  share: ShareBuckets | undefined,
): Limits & RateLimits<LendingBuckets> {
  const leased: LeasedBuckets[] = [];
  const bucketsOf = (name: string, rate: Rate): LendingBuckets => {
    if (share === undefined) return createBuckets(rate, now);
    const buckets = share(name, rate);
    leased.push(buckets);
    return buckets;
  };
  const [client, address] = [rateOf(config.rateLimitClient), rateOf(config.rateLimitAddress)];
  return {
    places: createPlaceCounts(config.maxRequests),
    uploads: createSlots(mostUploads),
    ofClient: client && bucketsOf('client', client),
    ofAddress: address && bucketsOf('address', address),
    ofAuthorization: bucketsOf('authorization', authorizeRate),
    giveBack() {
      for (const buckets of leased) buckets.giveBack();
    },
  };
}
