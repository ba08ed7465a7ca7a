import type { Config } from '../config.ts';
import { createPlaceCounts } from '../http/places.ts';
import type { PlaceCounts } from '../http/places.ts';
import { mostUploads } from '../http/uploads.ts';
import { createSlots } from '../slots.ts';
import type { Slots } from '../slots.ts';
import type { Buckets } from '../token-buckets.ts';
import { bucketsOf } from './rate-limits.ts';

/** The limits that all processes of a server have in common. */
export interface Limits {
  readonly places: PlaceCounts;
  readonly uploads: Slots;
  /** By client and user, and by address; undefined without a limit. */
  readonly ofClient: Buckets | undefined;
  readonly ofAddress: Buckets | undefined;
  /** Whether a network may begin one more authorization request; undefined: this process counts them. */
  readonly mayAuthorize: ((network: string) => Promise<boolean>) | undefined;
}

/** The limits of a server of one process. */
export const ownLimits = (config: Config, now: () => number): Limits => ({
  places: createPlaceCounts(config.maxRequests),
  uploads: createSlots(mostUploads),
  ofClient: bucketsOf(config.rateLimitClient, now),
  ofAddress: bucketsOf(config.rateLimitAddress, now),
  mayAuthorize: undefined,
});
