import { setTimeout } from 'node:timers/promises';
import type { LeasedBuckets, Lender } from '../../limits/leased-buckets.ts';
import { createLeasedBuckets } from '../../limits/leased-buckets.ts';
import { seldom } from '../../observability/seldom.ts';
import type { SharedBuckets } from '../../store/port/shared-buckets.ts';
import { createBuckets } from '../../limits/token-buckets.ts';
import type { Rate } from '../../limits/token-buckets.ts';

/**
 * The part of a bucket that a server lends before it asks the store: clients who use less cost the store nothing. One
 * who meets N servers may use (N − 1) times this part more than its bucket.
 */
const unasked = 1 / 16;
/** After a refusal the store is not asked for the same key again for so long, in milliseconds. */
const pause = 250;
/** A store that has not answered after this time fails, in milliseconds: a rate limit may not delay requests. */
const longestQuestion = 1_000;
/** A store that fails is asked again after this time, in milliseconds. */
const interval = 5_000;
/** That it fails is logged once in this time, in milliseconds. */
const noticeInterval = 60_000;

/** Makes the buckets of a limit; the name is that of the limit. */
export type ShareBuckets = (name: string, rate: Rate) => LeasedBuckets;

/** Buckets that all servers of a store have in common. While the store fails, this server counts for itself. */
export function createSharedLimits(
  shared: SharedBuckets,
  notice: (text: string) => void,
  now: () => number = () => performance.now(),
): ShareBuckets {
  const ask = createAsking(notice, now);
  return (name, rate) => {
    const own = createBuckets(rate, now);
    const keyOf = (key: string): string => `${name} ${key}`;
    const lender: Lender = {
      lend: (key, least, most) =>
        ask(
          () => shared.lend(keyOf(key), rate, least, most),
          () => own.lend(key, least, most),
        ),
      // What cannot be given back is filled up.
      give: (key, tokens) => void shared.give(keyOf(key), rate, tokens).catch(() => undefined),
    };
    return createLeasedBuckets(rate, lender, { unasked, pause, now });
  };
}

/** Asks the store, or returns the other result while it fails: it is asked once in each interval then. */
function createAsking(
  notice: (text: string) => void,
  now: () => number,
): <T>(question: () => Promise<T>, otherwise: () => T) => Promise<T> {
  const isTime = seldom(noticeInterval);
  let isFailing = false;
  let isNoted = false;
  let again = -Infinity;
  return async (question, otherwise) => {
    if (isFailing && now() < again) return otherwise();
    again = now() + interval;
    try {
      const result = await inTime(question());
      if (isNoted) notice('The rate limits hold for all servers of the store again.');
      isFailing = isNoted = false;
      return result;
    } catch (error) {
      again = now() + interval;
      isFailing = true;
      if (!isNoted && isTime()) {
        isNoted = true;
        const why = error instanceof Error ? error.message : String(error);
        notice(`The rate limits hold for each server alone until the store answers: ${why}.`);
      }
      return otherwise();
    }
  };
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = async (): Promise<never> => {
    await setTimeout(longestQuestion, undefined, { signal: over.signal });
    throw new Error(`it has not answered within ${longestQuestion} ms`);
  };
  try {
    return await Promise.race([answer, late()]);
  } finally {
    over.abort();
  }
}
