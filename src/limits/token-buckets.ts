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
  /**
   * Takes `cost` tokens, or none; a cost above the capacity takes a full bucket. A promise only if another process has
   * the bucket.
   */
  readonly take: (key: string, cost: number) => Taken | Promise<Taken>;
}

/** Tokens that were lent. */
export interface Lease {
  /** 0 if there were too few. */
  readonly tokens: number;
  /** The tokens that the bucket has then; negative if those who borrow owe more than it has. */
  readonly left: number;
}

/** Buckets that lend tokens to other processes, which give back what they do not use. */
export interface LendingBuckets extends Buckets {
  /** Takes `least` to `most` tokens, as many as there are; or none. */
  readonly lend: (key: string, least: number, most: number) => Lease | Promise<Lease>;
  readonly give: (key: string, tokens: number) => void;
}

/** Buckets in the memory of this process. */
export interface OwnBuckets extends LendingBuckets {
  readonly take: (key: string, cost: number) => Taken;
  readonly lend: (key: string, least: number, most: number) => Lease;
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

/** Buckets that are full at first. `now` is in milliseconds from any origin. */
export function createBuckets(rate: Rate, now: () => number, most = mostBuckets): OwnBuckets {
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
  const put = (key: string, tokens: number, time: number): void => {
    buckets.delete(key); // so that the order is that of the last use
    buckets.set(key, { tokens, at: time });
  };
  const lend = (key: string, least: number, most: number): Lease => {
    const time = now();
    const before = tokensOf(key, time);
    const tokens = before >= least ? Math.min(before, most) : 0;
    put(key, before - tokens, time);
    return { tokens, left: before - tokens };
  };
  return {
    rate,
    lend,
    give(key, tokens) {
      const time = now();
      put(key, Math.min(capacity, tokensOf(key, time) + tokens), time);
    },
    take(key, cost) {
      const price = Math.min(cost, capacity);
      return takenOf(rate, price, lend(key, price, price));
    },
  };
}

/**
 * The result of borrowing exactly a price. A refusal may be from a moment ago, and the price be there again: no more
 * than what is too little is left then.
 */
export function takenOf({ perSecond }: Rate, price: number, { tokens, left }: Lease): Taken {
  const whole = Math.max(0, Math.floor(left));
  if (tokens > 0) return { left: whole, retryAfter: undefined };
  return { left: Math.min(whole, price - 1), retryAfter: Math.max(1, Math.ceil((price - left) / perSecond)) };
}
