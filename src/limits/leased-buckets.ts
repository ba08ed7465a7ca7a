import { takenOf } from './token-buckets.ts';
import type { Lease, LendingBuckets, Rate, Taken } from './token-buckets.ts';

/** Lends tokens of buckets that other processes or servers use too: as `LendingBuckets`. */
export interface Lender {
  readonly lend: (key: string, least: number, most: number) => Promise<Lease>;
  readonly give: (key: string, tokens: number) => void;
}

export interface LeaseOptions {
  /**
   * The part of a bucket that a key may use before the lender is asked for it the first time; it is charged with that
   * then.
   */
  readonly unasked: number;
  /** After a refusal the lender is not asked again for so long, in milliseconds, unless for what it had left. */
  readonly pause: number;
  /** Milliseconds from any origin. */
  readonly now?: () => number;
}

/** Buckets whose tokens are those of a lender. */
export interface LeasedBuckets extends LendingBuckets {
  /** Gives back all tokens that are not used: for a process that ends. */
  giveBack(): void;
}

interface Held {
  /** Tokens to use. */
  tokens: number;
  /** Tokens that were used, or may be, and that the lender has not been charged with. */
  owed: number;
  /** The tokens that the lender had left at its last answer; a bucket that was not asked for is full. */
  rest: { readonly tokens: number; readonly at: number };
  /** The last use. */
  used: number;
  /** The running question to the lender. */
  asking: Promise<Lease> | undefined;
  /** The last refusal: the tokens that there were, without those that are owed. */
  refused: { readonly left: number; readonly at: number } | undefined;
}

/** Most keys with tokens. */
const mostKeys = 20_000;
/** Tokens that were not used for so long are given back; milliseconds. */
const idle = 10_000;
/** The part of a bucket that is borrowed beyond what is needed now: asking costs a request a message. */
const leasedPart = 1 / 16;

/**
 * Buckets of a lender, from which tokens are borrowed in advance, so that most requests need no message. Together the
 * borrowers never use more than the buckets have, except for what they may use without asking.
 */
export function createLeasedBuckets(
  rate: Rate,
  lender: Lender,
  { unasked, pause, now = () => performance.now() }: LeaseOptions,
): LeasedBuckets {
  const { capacity, perSecond } = rate;
  const credit = Math.floor(capacity * unasked);
  const batch = Math.floor(capacity * leasedPart);
  /** Until an unused bucket is full: a key is unknown then. */
  const forgotten = Math.max(idle, (capacity / perSecond) * 1_000);
  const held = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;

  const giveSpare = (key: string, one: Held): void => {
    const spare = one.tokens - one.owed;
    if (spare <= 0) return;
    one.tokens -= spare;
    one.rest = { ...one.rest, tokens: one.rest.tokens + spare };
    lender.give(key, spare);
  };
  /** What the whole bucket has, by the last answer of the lender: other borrowers may have used some since. */
  const leftOf = ({ tokens, owed, rest }: Held): number => {
    const atLender = rest.tokens + (Math.max(0, now() - rest.at) / 1_000) * perSecond;
    return Math.min(capacity, Math.min(capacity, atLender) + tokens - owed);
  };
  const sweep = (): void => {
    const time = now();
    for (const [key, one] of held) {
      const unused = time - one.used;
      if (unused < idle) break; // those behind were used later
      if (one.asking !== undefined) continue;
      giveSpare(key, one);
      if (unused >= forgotten) held.delete(key);
    }
    timer = held.size > 0 ? setTimeout(sweep, idle).unref() : undefined;
  };
  const add = (): Held => {
    const [oldest] = held;
    if (held.size >= mostKeys && oldest !== undefined) {
      giveSpare(...oldest);
      held.delete(oldest[0]);
    }
    timer ??= setTimeout(sweep, idle).unref();
    const rest = { tokens: capacity, at: now() };
    return { tokens: credit, owed: credit, rest, used: 0, asking: undefined, refused: undefined };
  };
  const heldOf = (key: string): Held => {
    const one = held.get(key) ?? add();
    one.used = now();
    held.delete(key); // so that the order is that of the last use
    held.set(key, one);
    return one;
  };
  const use = (one: Held, most: number): Lease => {
    const tokens = Math.min(one.tokens, most);
    one.tokens -= tokens;
    return { tokens, left: leftOf(one) };
  };
  /** The refusal of what was not there a moment ago. */
  const refusedBefore = ({ refused }: Held, least: number): Lease | undefined => {
    const since = refused === undefined ? Infinity : now() - refused.at;
    if (refused === undefined || since >= pause || refused.left >= least) return undefined;
    return { tokens: 0, left: refused.left + (since / 1_000) * perSecond };
  };
  /** One question at a time for each key: each gets more tokens than are needed. */
  const lendLater = async (key: string, one: Held, least: number, most: number): Promise<Lease> => {
    for (;;) {
      while (one.asking !== undefined) await one.asking.catch(() => undefined); // its caller gets the error
      if (one.tokens >= least) return use(one, most);
      const refused = refusedBefore(one, least);
      if (refused !== undefined) return refused;
      const needed = least + one.owed - one.tokens;
      // A full bucket pays for everything.
      one.asking = lender.lend(key, Math.min(capacity, needed), needed + Math.max(batch, most - least));
      try {
        const { tokens, left } = await one.asking;
        one.rest = { tokens: left, at: now() };
        if (tokens === 0) {
          one.refused = { left: left + one.tokens - one.owed, at: now() };
          return { tokens: 0, left: one.refused.left };
        }
        one.tokens = Math.max(least, one.tokens + tokens - one.owed);
        one.owed = 0;
      } finally {
        one.asking = undefined;
      }
    }
  };
  const lend = (key: string, least: number, most: number): Lease | Promise<Lease> => {
    const one = heldOf(key);
    return one.asking === undefined && one.tokens >= least ? use(one, most) : lendLater(key, one, least, most);
  };
  return {
    rate,
    lend,
    give(key, tokens) {
      const one = held.get(key);
      if (one === undefined) lender.give(key, tokens);
      else one.tokens += tokens;
    },
    giveBack() {
      for (const [key, one] of held) giveSpare(key, one);
    },
    take(key, cost): Taken | Promise<Taken> {
      const price = Math.min(cost, capacity);
      const lent = lend(key, price, price);
      return 'then' in lent ? lent.then(later => takenOf(rate, price, later)) : takenOf(rate, price, lent);
    },
  };
}
