/** A rate: tokens per second on average, and the most that may be taken at once after a pause. */
export interface Rate {
  readonly perSecond: number;
  readonly capacity: number;
}

/** The result of taking tokens. */
export interface Taken {
  /** Whole tokens that are left; 0 if there were too few. */
  readonly left: number;
  /** Seconds until there are enough, rounded up; undefined if they were taken. */
  readonly retryAfter: number | undefined;
}

/** Token buckets by key. https://en.wikipedia.org/wiki/Token_bucket */
export interface Buckets {
  readonly rate: Rate;
  /**
   * Takes `cost` tokens, or none; a cost above the capacity takes a full bucket. A promise only if another process of
   * the server has the bucket.
   */
  readonly take: (key: string, cost: number) => Taken | Promise<Taken>;
}

/** Buckets in the memory of this process. */
export interface OwnBuckets extends Buckets {
  readonly take: (key: string, cost: number) => Taken;
  /** Gives tokens back that were not used. */
  readonly give: (key: string, tokens: number) => void;
}

interface Bucket {
  tokens: number;
  /** The time to which `tokens` applies, in milliseconds. */
  at: number;
}

/** Most buckets: a full one is forgotten, since a new one is full too. */
const mostBuckets = 20_000;

/** Buckets that are full at first. `now` is in milliseconds from any origin. */
export function createBuckets(rate: Rate, now: () => number, most = mostBuckets): OwnBuckets {
  const { perSecond, capacity } = rate;
  const buckets = new Map<string, Bucket>();
  const filled = ({ tokens, at }: Bucket, time: number): number =>
    Math.min(capacity, tokens + (Math.max(0, time - at) / 1_000) * perSecond);
  const makeRoom = (time: number): void => {
    for (const [key, bucket] of buckets) if (filled(bucket, time) >= capacity) buckets.delete(key);
    const [oldest] = buckets.keys(); // used least recently
    if (buckets.size >= most && oldest !== undefined) buckets.delete(oldest);
  };
  const tokensOf = (key: string, time: number): number => {
    const known = buckets.get(key);
    if (known === undefined && buckets.size >= most) makeRoom(time);
    return known === undefined ? capacity : filled(known, time);
  };
  const put = (key: string, tokens: number, time: number): void => {
    buckets.delete(key); // so that the order is that of the last use
    buckets.set(key, { tokens, at: time });
  };
  return {
    rate,
    give(key, tokens) {
      const time = now();
      put(key, Math.min(capacity, tokensOf(key, time) + tokens), time);
    },
    take(key, cost) {
      const time = now();
      const tokens = tokensOf(key, time);
      const price = Math.min(cost, capacity);
      const isEnough = tokens >= price;
      const left = isEnough ? tokens - price : tokens;
      put(key, left, time);
      if (isEnough) return { left: Math.floor(left), retryAfter: undefined };
      return { left: 0, retryAfter: Math.ceil((price - tokens) / perSecond) };
    },
  };
}
