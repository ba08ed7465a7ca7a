/** A rate: tokens per second on average, and the most that may be taken at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly capacity: number;
}

/** The result of taking tokens. */
export interface Taken {
  /** Whole tokens that are left. */
  readonly left: number;
  /** Seconds until there are enough, rounded up; undefined if they were taken. */
  readonly retryAfter: number | undefined;
}

/** Token buckets by key. https://en.wikipedia.org/wiki/Token_bucket */
export interface Buckets {
  readonly rate: Rate;
  /** Takes `cost` tokens, or none; a cost above the capacity takes a full bucket. */
  readonly take: (key: string, cost: number) => Taken;
}

interface Bucket {
  tokens: number;
  /** The time to which `tokens` applies, in milliseconds. */
  at: number;
}

/** Most buckets: a full one is forgotten, since a new one is full too. */
const mostBuckets = 20_000;
/** If all are in use, this part of them is forgotten at once, so that few keys need a look at all of them. */
const forgottenPart = 1 / 16;

/** Makes buckets in the memory of this process, which are full at first. `now` is in milliseconds from any origin. */
export function createBuckets(rate: Rate, now: () => number, most = mostBuckets): Buckets {
  const { perSecond, capacity } = rate;
  const buckets = new Map<string, Bucket>();
  const filled = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(capacity, tokens + (Math.max(0, time - at) / 1_000) * perSecond);
  const makeRoom = (time: number): void => {
    for (const [key, bucket] of buckets) if (filled(bucket, time) >= capacity) buckets.delete(key);
    const kept = most - Math.max(1, Math.floor(most * forgottenPart));
    for (const key of buckets.keys()) {
      if (buckets.size <= kept) break;
      buckets.delete(key); // used least recently
    }
  };
  const tokensOf = (key: string, time: number): number => {
    const known = buckets.get(key);
    if (known === undefined && buckets.size >= most) makeRoom(time);
    return known === undefined ? capacity : filled(known, time);
  };
  return {
    rate,
    take(key, cost) {
      const time = now();
      const price = Math.min(cost, capacity);
      const before = tokensOf(key, time);
      const left = before >= price ? before - price : before;
      buckets.delete(key); // so that the order is that of the last use
      buckets.set(key, { tokens: left, at: time });
      const retryAfter = before >= price ? undefined : Math.max(1, Math.ceil((price - left) / perSecond));
      return { left: Math.max(0, Math.floor(left)), retryAfter };
    },
  };
}
