import type { Buckets, Rate, Taken } from '../token-buckets.ts';
import type { Link } from './link.ts';
import type { Lease, ParentCalls, TokenLimit } from './protocol.ts';

interface Held {
  tokens: number;
  /** The last use, in milliseconds of performance.now. */
  used: number;
  /** The running question to the parent. */
  asking: Promise<Lease> | undefined;
}

/** Most keys with tokens. */
const mostKeys = 20_000;
/** Tokens that were not used for so long are given back; milliseconds. */
const idle = 10_000;

/**
 * The buckets of a parent, from which a child takes tokens in advance, so that most requests need no message. Together
 * the children never use more than the buckets have. Undefined without a rate.
 */
export function createLeases(limit: TokenLimit, rate: Rate | undefined, link: Link<ParentCalls>): Buckets | undefined {
  if (rate === undefined) return undefined;
  const held = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;
  const drop = (key: string, { tokens }: Held): void => {
    held.delete(key);
    if (tokens > 0) link.tell('giveTokens', limit, key, tokens);
  };
  const sweep = (): void => {
    timer = undefined;
    const before = performance.now() - idle;
    for (const [key, one] of held) if (one.used < before && one.asking === undefined) drop(key, one);
    if (held.size > 0) timer = setTimeout(sweep, idle).unref();
  };
  const heldOf = (key: string): Held => {
    const known = held.get(key);
    if (known !== undefined) return known;
    const [oldest] = held;
    if (held.size >= mostKeys && oldest !== undefined) drop(...oldest);
    const made: Held = { tokens: 0, used: 0, asking: undefined };
    held.set(key, made);
    timer ??= setTimeout(sweep, idle).unref();
    return made;
  };
  const use = (one: Held, price: number): Taken => {
    one.tokens -= price;
    return { left: Math.floor(one.tokens), retryAfter: undefined };
  };
  /** One question at a time for each key: each gets more tokens than are needed. */
  const takeLater = async (key: string, one: Held, price: number): Promise<Taken> => {
    for (;;) {
      while (one.asking !== undefined) await one.asking.catch(() => undefined); // its caller gets the error
      if (one.tokens >= price) return use(one, price);
      one.asking = link.ask('lease', limit, key, price);
      try {
        const { tokens, retryAfter } = await one.asking;
        if (retryAfter !== undefined) return { left: 0, retryAfter };
        one.tokens += tokens;
      } finally {
        one.asking = undefined;
      }
    }
  };
  return {
    rate,
    take(key, cost) {
      const price = Math.min(cost, rate.capacity);
      const one = heldOf(key);
      one.used = performance.now();
      return one.asking === undefined && one.tokens >= price ? use(one, price) : takeLater(key, one, price);
    },
  };
}
