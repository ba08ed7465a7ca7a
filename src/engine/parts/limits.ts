import type { Config } from '../../config/read.ts';
import { createPlaceCounts } from '../../http/connection/places.ts';
import type { PlaceCounts } from '../../http/connection/places.ts';
import { mostUploads } from '../../http/body/uploads.ts';
import type { LeasedBuckets } from '../../limits/leased-buckets.ts';
import { createSlots } from '../../limits/slots.ts';
import type { Slots } from '../../limits/slots.ts';
import { authorizeRate } from '../../smart/provider/authorize-rate.ts';
import { createBuckets } from '../../limits/token-buckets.ts';
import type { Buckets, LendingBuckets, Rate } from '../../limits/token-buckets.ts';
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
