import type { Config } from '../config.ts';
import { bucketsOf } from '../engine/rate-limits.ts';
import { createPlaceCounts } from '../http/places.ts';
import { mostUploads } from '../http/uploads.ts';
import { createAuthorizeRateLimit } from '../smart/authorize-rate-limit.ts';
import { passwordsAtOnce } from '../smart/password.ts';
import { createSlots } from '../slots.ts';
import type { Member } from './member.ts';
import type { ParentCalls, SlotKind } from './protocol.ts';

/** What all children have in common, counted in their parent. */
export interface ParentLimits {
  /** Number of concurrent requests that each child may run without asking. */
  readonly ownPlaces: number;
  readonly mayAuthorize: ParentCalls['mayAuthorize'];
  readonly lease: ParentCalls['lease'];
  readonly giveTokens: ParentCalls['giveTokens'];
  /** What a child holds of the limits. */
  join(member: Member): Held;
  /** Appends audit events of a child. While that fails for any of them, all children know it. */
  append(from: Member, append: () => Promise<void> | undefined): Promise<void>;
  /** A child has ended. */
  leave(member: Member): void;
}

/** What one child holds; given back at its end. */
export interface Held extends Pick<ParentCalls, 'takePlace' | 'givePlace' | 'takeSlot' | 'giveSlot'> {
  giveBack(): void;
}

/** The share of all places that children have without asking: asking costs each request a message. */
const ownShare = 4;

/** The part of a bucket that a child gets beyond what it needs now: asking costs a request a message. */
const leasedPart = 1 / 16;

export function createParentLimits(
  { maxRequests: most, processes: count, rateLimitClient, rateLimitAddress }: Config,
  members: ReadonlySet<Member>,
  now: () => number,
): ParentLimits {
  const buckets = { client: bucketsOf(rateLimitClient, now), address: bucketsOf(rateLimitAddress, now) };
  const ownPlaces = Math.floor(most / (ownShare * count));
  const places = createPlaceCounts(most, () => ownPlaces * count);
  const slots = { uploads: createSlots(mostUploads), passwords: createSlots(passwordsAtOnce) };
  const failing = new Set<Member>();
  const setFailing = (member: Member, isFailing: boolean): void => {
    const before = failing.size > 0;
    if (isFailing) failing.add(member);
    else failing.delete(member);
    const after = failing.size > 0;
    if (after !== before) for (const { link } of members) link.tell('auditFailing', after);
  };
  return {
    ownPlaces,
    mayAuthorize: createAuthorizeRateLimit(),
    lease(limit, key, cost) {
      const own = buckets[limit];
      if (own === undefined) return { tokens: cost, retryAfter: undefined };
      const more = Math.floor(own.rate.capacity * leasedPart);
      // A cost above the capacity would take less than it says.
      if (cost + more <= own.rate.capacity && own.take(key, cost + more).retryAfter === undefined)
        return { tokens: cost + more, retryAfter: undefined };
      const { retryAfter } = own.take(key, cost);
      return { tokens: retryAfter === undefined ? cost : 0, retryAfter };
    },
    giveTokens: (limit, key, tokens) => buckets[limit]?.give(key, tokens),
    join: () => hold(places, slots),
    async append(from, append) {
      try {
        await append();
      } catch (error) {
        setFailing(from, true);
        throw error;
      }
      if (failing.has(from)) setFailing(from, false);
    },
    leave: member => setFailing(member, false),
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
      if (places.take(share) !== true) return false; // these are counted here, without a promise
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
