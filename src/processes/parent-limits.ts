import type { Config } from '../config/read.ts';
import type { RateLimits } from '../engine/parts/limits.ts';
import { createPlaceCounts } from '../http/connection/places.ts';
import { mostUploads } from '../http/body/uploads.ts';
import { passwordsAtOnce } from '../smart/accounts/password.ts';
import { createSlots } from '../limits/slots.ts';
import type { LendingBuckets } from '../limits/token-buckets.ts';
import type { ParentCalls, SlotKind } from './protocol.ts';

/** What all children have in common, counted in their parent. */
export interface ParentLimits {
  /** Number of concurrent requests that each child may run without asking. */
  readonly ownPlaces: number;
  readonly lease: ParentCalls['lease'];
  readonly giveTokens: ParentCalls['giveTokens'];
  /** What a child holds of the limits. */
  join(): Held;
}

/** What one child holds; given back at its end. */
export interface Held extends Pick<ParentCalls, 'takePlace' | 'givePlace' | 'takeSlot' | 'giveSlot'> {
  giveBack(): void;
}

/** The share of all places that children have without asking: asking costs each request a message. */
const ownShare = 4;

export function createParentLimits(
  { maxRequests: most, processes: count }: Config,
  { ofClient: client, ofAddress: address, ofAuthorization: authorization }: RateLimits<LendingBuckets>,
): ParentLimits {
  const buckets = { client, address, authorization };
  const ownPlaces = Math.floor(most / (ownShare * count));
  const places = createPlaceCounts(most, () => ownPlaces * count);
  const slots = { uploads: createSlots(mostUploads), passwords: createSlots(passwordsAtOnce) };
  return {
    ownPlaces,
    lease: (limit, key, least, most) => buckets[limit]?.lend(key, least, most) ?? { tokens: most, left: most },
    giveTokens: (limit, key, tokens) => buckets[limit]?.give(key, tokens),
    join: () => hold(places, slots),
  };
}

function hold(
  places: ReturnType<typeof createPlaceCounts>,
  slots: Readonly<Record<SlotKind, ReturnType<typeof createSlots>>>,
): Held {
  const taken: (string | undefined)[] = [];
  const releases: Record<SlotKind, (() => void)[]> = { uploads: [], passwords: [] };
  let isEnded = false;
  return {
    takePlace(share) {
      if (!places.take(share)) return false;
      taken.push(share);
      return true;
    },
    givePlace(share) {
      const at = taken.indexOf(share);
      if (at >= 0) taken.splice(at, 1);
      if (at >= 0) places.give(share);
    },
    async takeSlot(kind) {
      const release = await slots[kind].take();
      if (isEnded) release();
      else releases[kind].push(release);
    },
    giveSlot(kind) {
      releases[kind].pop()?.();
    },
    giveBack() {
      isEnded = true;
      for (const share of taken.splice(0)) places.give(share);
      for (const release of [...releases.uploads, ...releases.passwords]) release();
    },
  };
}
