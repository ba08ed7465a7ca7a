import type { PlaceCounts } from '../http/connection/places.ts';
import type { Limits } from '../engine/parts/limits.ts';
import type { Config } from '../config/read.ts';
import { rateOf } from '../engine/parts/rate-limits.ts';
import { authorizeRate } from '../smart/provider/authorize-rate.ts';
import { createLeasedBuckets } from '../limits/leased-buckets.ts';
import type { LeasedBuckets, Lender } from '../limits/leased-buckets.ts';
import type { Rate } from '../limits/token-buckets.ts';
import type { Slots } from '../limits/slots.ts';
import type { Link } from './link.ts';
import type { ParentCalls, SlotKind, TokenLimit } from './protocol.ts';

/** The limits of a child: what it may do without asking, and the rest by its parent. */
export interface ChildLimits extends Limits {
  readonly passwords: Slots;
}

export function createChildLimits(config: Config, ownPlaces: number, link: Link<ParentCalls>): ChildLimits {
  const [client, address] = [rateOf(config.rateLimitClient), rateOf(config.rateLimitAddress)];
  const ofClient = client && leases('client', client, link);
  const ofAddress = address && leases('address', address, link);
  const ofAuthorization = leases('authorization', authorizeRate, link);
  return {
    ofClient,
    ofAddress,
    ofAuthorization,
    places: createChildPlaces(ownPlaces, link),
    uploads: slotsOf('uploads', link),
    passwords: slotsOf('passwords', link),
    giveBack() {
      for (const buckets of [ofClient, ofAddress, ofAuthorization]) buckets?.giveBack();
    },
  };
}

/** The buckets of the parent. */
export function leases(limit: TokenLimit, rate: Rate, link: Link<ParentCalls>): LeasedBuckets {
  const lender: Lender = {
    lend: (key, least, most) => link.ask('lease', limit, key, least, most),
    give: (key, tokens) => link.tell('giveTokens', limit, key, tokens),
  };
  return createLeasedBuckets(rate, lender, { unasked: 0, pause: 0 });
}

/** The first `own` requests need no message. */
function createChildPlaces(own: number, link: Link<ParentCalls>): PlaceCounts {
  let taken = 0;
  const ofParent = new Map<string | undefined, number>();
  return {
    take(share) {
      if (taken < own) {
        taken += 1;
        return true;
      }
      return link.ask('takePlace', share).then(isTaken => {
        if (isTaken) ofParent.set(share, (ofParent.get(share) ?? 0) + 1);
        return isTaken;
      });
    },
    give(share) {
      const count = ofParent.get(share) ?? 0;
      if (count === 0) taken -= 1;
      else {
        if (count === 1) ofParent.delete(share);
        else ofParent.set(share, count - 1);
        link.tell('givePlace', share);
      }
    },
  };
}

const slotsOf = (kind: SlotKind, link: Link<ParentCalls>): Slots => ({
  async take() {
    await link.ask('takeSlot', kind);
    let isHeld = true;
    return () => {
      if (isHeld) link.tell('giveSlot', kind);
      isHeld = false;
    };
  },
});
