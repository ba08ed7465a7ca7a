import type { Lease, Rate } from '../../limits/token-buckets.ts';

/**
 * Token buckets that all servers of a store have in common. Each is filled up by the clock of the store, and forgotten
 * when it is full. Keys are not stored in clear.
 */
export interface SharedBuckets {
  /** Takes `least` to `most` tokens, as many as there are; or none. */
  lend(key: string, rate: Rate, least: number, most: number): Promise<Lease>;
  /** Gives tokens back that were not used. */
  give(key: string, rate: Rate, tokens: number): Promise<void>;
}
