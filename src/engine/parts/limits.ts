import type { Config } from '../../config/read.ts';
import { mostUploads } from '../../http/body/uploads.ts';
import { createSlots } from '../../limits/slots.ts';
import type { Slots } from '../../limits/slots.ts';
import { createBuckets } from '../../limits/token-buckets.ts';
import type { Buckets, Rate } from '../../limits/token-buckets.ts';
import { authorizeRate } from '../../smart/provider/endpoints.ts';

/** The limits that this process counts: its share of those of the server. */
export interface ProcessLimits {
  /** The maximum number of concurrent requests. */
  readonly mostRequests: number;
  readonly uploads: Slots;
  /** The rate limit by client and user; undefined without one. */
  readonly ofClient: Buckets | undefined;
  /** The rate limit by address; undefined without one. */
  readonly ofAddress: Buckets | undefined;
  /** The rate limit of authorization requests by network. */
  readonly ofAuthorization: Buckets;
}

/** Makes the limits of one of `config.processes` processes; `now` returns milliseconds from any origin. */
export function createLimits(config: Config, now: () => number): ProcessLimits {
  const { processes } = config;
  const bucketsOf = ({ perSecond, capacity }: Rate): Buckets =>
    createBuckets({ perSecond: perSecond / processes, capacity: shareOf(capacity, processes) }, now);
  const perMinute = (requests: number): Buckets | undefined =>
    requests === 0 ? undefined : bucketsOf({ perSecond: requests / 60, capacity: requests / 2 });
  return {
    mostRequests: shareOf(config.maxRequests, processes),
    uploads: createSlots(shareOf(mostUploads, processes)),
    ofClient: perMinute(config.rateLimitClient),
    ofAddress: perMinute(config.rateLimitAddress),
    ofAuthorization: bucketsOf(authorizeRate),
  };
}

/** The part of one of so many processes, at least 1. */
const shareOf = (most: number, processes: number): number => Math.max(1, Math.floor(most / processes));
