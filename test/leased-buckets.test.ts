// The rate limits of servers that have their buckets in common: src/http/README.md#limits.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeasedBuckets } from '../src/limits/leased-buckets.ts';
import { createBuckets } from '../src/limits/token-buckets.ts';
import type { LeasedBuckets } from '../src/limits/leased-buckets.ts';
import type { LendingBuckets, Taken } from '../src/limits/token-buckets.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const rate = { capacity: 160, perSecond: 16 };
/** What is used does not come back during a test. */
const slow = { capacity: 160, perSecond: 0.001 };

interface Servers {
  readonly servers: readonly LeasedBuckets[];
  /** How often the lender was asked. */
  readonly asked: () => number;
}

/** Servers that borrow from the same buckets, and may use a sixteenth, 10, of each before they ask. */
function servers(count: number, of = rate): Servers {
  const shared = createBuckets(of, () => performance.now());
  let asked = 0;
  const lend = async (...values: Parameters<typeof shared.lend>): Promise<ReturnType<typeof shared.lend>> => {
    asked += 1;
    return shared.lend(...values);
  };
  const one = (): LeasedBuckets =>
    createLeasedBuckets(of, { lend, give: shared.give }, { unasked: 1 / 16, pause: 250 });
  return { servers: Array.from({ length: count }, one), asked: () => asked };
}

function twoServers(of: typeof rate): readonly [LeasedBuckets, LeasedBuckets] {
  const [first, second] = servers(2, of).servers;
  if (first === undefined || second === undefined) throw new Error('two');
  return [first, second];
}

const isTaken = ({ retryAfter }: Taken): boolean => retryAfter === undefined;

/** How many of so many requests the servers answer, in turn. */
async function answered(servers: readonly LendingBuckets[], requests: number, cost = 1): Promise<number> {
  let count = 0;
  for (let n = 0; n < requests; n++) {
    const taken = await servers[n % servers.length]?.take('app', cost);
    if (taken !== undefined && isTaken(taken)) count += 1;
  }
  return count;
}

describe('a rate limit of several servers', () => {
  it.each([
    ['one server, requests', 1, 1, 160],
    ['one server, searches', 1, 7, 22], // 154
    ['one server, what costs all', 1, 500, 1],
    ['two servers', 2, 1, 170],
    ['four servers', 4, 1, 190],
    ['eight servers', 8, 1, 230],
  ])('gives a client of %s its burst, and a sixteenth more for each other server', async (_, count, cost, most) => {
    const got = await answered(servers(count).servers, 400, cost);
    expect(got).toBeLessThanOrEqual(most);
    expect(got).toBeGreaterThanOrEqual(count === 1 ? most : 160);
  });

  it.each([1, 2, 5])('lets through what the rate says in the long run: %i servers', async count => {
    const { servers: all } = servers(count);
    let got = 0;
    for (let tick = 0; tick < 600; tick++) {
      got += await answered(all, 10); // 100 in a second
      vi.advanceTimersByTime(100);
    }
    expect(got).toBeGreaterThan(160 + 59 * 16);
    expect(got).toBeLessThanOrEqual(160 + 60 * 16 + (count - 1) * 10);
  });

  it('asks nothing for a client who uses a sixteenth', async () => {
    const { servers: all, asked } = servers(2);
    expect(await answered(all, 20)).toBe(20);
    expect(asked()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(await answered(all, 20)).toBe(20);
    expect(asked()).toBe(0);
  });

  it('charges what was used before the first question', async () => {
    const [first, second] = twoServers(rate);
    expect(await answered([first], 10)).toBe(10);
    expect(await answered([second], 200)).toBe(160);
    expect(await first.take('app', 1)).toEqual({ left: 0, retryAfter: 1 });
    vi.advanceTimersByTime(625); // 10 tokens, which it owes
    expect(await first.take('app', 1)).toEqual({ left: 0, retryAfter: 1 });
    vi.advanceTimersByTime(250);
    expect((await first.take('app', 1)).retryAfter).toBeUndefined();
  });

  it('asks seldom for those that are refused, and lets them come back when it said', async () => {
    const {
      servers: [server],
      asked,
    } = servers(1, { capacity: 160, perSecond: 1 });
    if (server === undefined) throw new Error('one');
    expect(await answered([server], 160)).toBe(160);
    const before = asked();
    for (let n = 0; n < 1_000; n++) expect(await server.take('app', 5)).toEqual({ left: 0, retryAfter: 5 });
    expect(asked() - before).toBe(1);
    vi.advanceTimersByTime(4_999);
    expect(await server.take('app', 5)).toEqual({ left: 4, retryAfter: 1 });
    expect(isTaken(await server.take('app', 4))).toBe(true); // there are so many
    vi.advanceTimersByTime(4_001);
    expect(isTaken(await server.take('app', 5))).toBe(true);
  });

  it('gives back what a client has not used for ten seconds', async () => {
    const [first, second] = twoServers(slow);
    expect(await answered([first], 11)).toBe(11); // and has borrowed ten more
    expect(await answered([second], 200)).toBe(139);
    vi.advanceTimersByTime(20_000);
    expect(await answered([second], 200)).toBe(10);
    expect(await answered([first], 10)).toBe(0); // it is not unknown yet
  });

  it('says what the whole bucket has left, not what one server has borrowed of it', async () => {
    const [first, second] = twoServers(slow);
    const left = async (server: LendingBuckets, cost: number): Promise<number> => (await server.take('app', cost)).left;
    expect(await left(first, 4)).toBe(156); // without a question
    expect(await left(first, 16)).toBe(140);
    expect(await left(first, 1)).toBe(139);
    expect(await left(second, 100)).toBe(30); // the other one has borrowed nine
    expect(await second.take('app', 50)).toMatchObject({ left: 30 });
    vi.advanceTimersByTime(20_000);
    expect(await second.take('app', 39)).toMatchObject({ left: 0, retryAfter: undefined });
  });

  it('never says that a refused request could be paid, also while it does not ask again', async () => {
    const [first] = twoServers(rate);
    expect(await answered([first], 160)).toBe(160);
    expect(await first.take('app', 2)).toEqual({ left: 0, retryAfter: 1 });
    vi.advanceTimersByTime(200); // three tokens more
    expect(await first.take('app', 2)).toEqual({ left: 1, retryAfter: 1 });
    expect(await first.take('app', 1)).toEqual({ left: 0, retryAfter: 1 });
  });

  it('gives back all that it has not used when it ends', async () => {
    const [first, second] = twoServers(slow);
    expect(await answered([first], 11)).toBe(11); // and has borrowed ten more
    first.giveBack();
    first.giveBack();
    expect(await answered([second], 200)).toBe(149);
  });

  it('does not give more when many come at the same time', async () => {
    const { servers: all, asked } = servers(2);
    const taken = await Promise.all(Array.from({ length: 400 }, async (_, n) => all[n % 2]?.take('app', 1)));
    const got = taken.filter(one => one !== undefined && isTaken(one)).length;
    expect(got).toBeGreaterThanOrEqual(150);
    expect(got).toBeLessThanOrEqual(170);
    expect(asked()).toBeLessThan(30);
  });

  it('forgets the clients of longest ago if there are too many', async () => {
    const { servers: all, asked } = servers(1);
    expect(await answered(all, 15)).toBe(15);
    expect(asked()).toBe(1);
    for (let n = 0; n < 20_000; n++) await all[0]?.take(`other ${n}`, 1);
    expect(asked()).toBe(1);
    expect(await answered(all, 10)).toBe(10); // as one that is unknown
    expect(asked()).toBe(1);
  });
});
