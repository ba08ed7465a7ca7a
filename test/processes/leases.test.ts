// The rate limits of several processes: src/processes/README.md#limits.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { ownLimits } from '../../src/engine/parts/limits.ts';
import { leases } from '../../src/processes/child-limits.ts';
import { openLink } from '../../src/processes/link.ts';
import { createParentLimits } from '../../src/processes/parent-limits.ts';
import type { ParentCalls } from '../../src/processes/protocol.ts';
import type { Buckets } from '../../src/limits/token-buckets.ts';
import { pair } from './support/channel.ts';

/** Buckets of 100 tokens, a further one each 0.3 s, as two children have them; with the messages of the first. */
function children(clock: { now: number }): { readonly buckets: readonly [Buckets, Buckets]; readonly sent: unknown[] } {
  const config = readConfig(['--processes', '2', '--rate-limit-client', '200']);
  const limits = ownLimits(config, () => clock.now, undefined);
  const { lease, giveTokens } = createParentLimits(config, limits);
  const channels = [pair(), pair()] as const;
  const fail = (error: unknown): never => {
    throw error;
  };
  const [first, second] = channels.map(({ ends: [child, parent] }) => {
    openLink(parent, { lease, giveTokens }, fail);
    return leases('client', { capacity: 100, perSecond: 200 / 60 }, openLink<ParentCalls>(child, {}, fail));
  });
  if (first === undefined || second === undefined) throw new Error('no limit');
  return { buckets: [first, second], sent: channels[0].sent };
}

/** How many tokens a child gets, one after the other, of so many. */
async function taken(buckets: Buckets, count: number): Promise<number> {
  let got = 0;
  for (let n = 0; n < count; n++) if ((await buckets.take('app', 1)).retryAfter === undefined) got += 1;
  return got;
}

describe('a rate limit of two processes', () => {
  it('gives all tokens to a client of one of them, with a message for several', async () => {
    const { buckets, sent } = children({ now: 0 });
    expect(await taken(buckets[0], 120)).toBe(100);
    expect(sent.length).toBeLessThan(50);
  });

  it('never gives more, and keeps a sixteenth at most for the other one', async () => {
    const { buckets } = children({ now: 0 });
    expect(await taken(buckets[1], 1)).toBe(1);
    const rest = await taken(buckets[0], 120);
    expect(rest).toBeLessThanOrEqual(99);
    expect(rest).toBeGreaterThanOrEqual(93);
    expect(rest + (await taken(buckets[1], 120))).toBe(99);
  });

  it('does not give more when many ask at the same time', async () => {
    const { buckets } = children({ now: 0 });
    const all = Array.from({ length: 200 }, async (_, n) => buckets[n % 2]?.take('app', 1));
    const got = (await Promise.all(all)).filter(one => one?.retryAfter === undefined);
    expect(got.length).toBeLessThanOrEqual(100);
    expect(got.length).toBeGreaterThanOrEqual(93);
  });

  it('says when to come back, and gives what was filled up since', async () => {
    const clock = { now: 0 };
    const { buckets } = children(clock);
    expect(await taken(buckets[0], 100)).toBe(100);
    expect(await buckets[0].take('app', 10)).toEqual({ left: 0, retryAfter: 3 });
    clock.now += 3_000;
    expect((await buckets[0].take('app', 10)).retryAfter).toBeUndefined();
    expect((await buckets[0].take('app', 1)).retryAfter).toBe(1);
  });
});
