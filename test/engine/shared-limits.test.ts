// Rate limits while the store fails: src/http/README.md#limits. The store is another server, and simulated.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSharedLimits } from '../../src/engine/parts/shared-limits.ts';
import type { SharedBuckets } from '../../src/store/port/shared-buckets.ts';
import { createBuckets } from '../../src/limits/token-buckets.ts';
import type { LendingBuckets } from '../../src/limits/token-buckets.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const rate = { capacity: 32, perSecond: 0.1 };

interface Trial {
  readonly buckets: LendingBuckets;
  readonly notices: readonly string[];
  /** The questions that the store got. */
  readonly questions: readonly string[];
  state: 'works' | 'rejects' | 'is silent';
}

function trial(): Trial {
  const inStore = createBuckets(rate, () => performance.now());
  const notices: string[] = [];
  const questions: string[] = [];
  const shared: SharedBuckets = {
    async lend(key, _rate, least, most) {
      questions.push(key);
      if (trial.state === 'rejects') throw new Error('The store is not available');
      return trial.state === 'works' ? inStore.lend(key, least, most) : new Promise(() => {});
    },
    async give(key, _rate, tokens) {
      if (trial.state !== 'works') throw new Error('The store is not available');
      inStore.give(key, tokens);
    },
  };
  const buckets = createSharedLimits(shared, text => void notices.push(text))('client', rate);
  const trial: Trial = { buckets, notices, questions, state: 'works' };
  return trial;
}

/** How many of so many requests of a key pass. */
async function passed({ buckets }: Trial, key: string, count: number): Promise<number> {
  let passed = 0;
  for (let n = 0; n < count; n++) if ((await buckets.take(key, 1)).retryAfter === undefined) passed += 1;
  return passed;
}

describe('the rate limits of all servers of a store', () => {
  it('are asked for by the name of the limit and the key', async () => {
    const server = trial();
    expect(await passed(server, 'app', 40)).toBe(32);
    expect(new Set(server.questions)).toEqual(new Set(['client app']));
    expect(server.notices).toEqual([]);
  });

  it('hold for this server alone while the store rejects questions, which it gets one of in five seconds', async () => {
    const server = trial();
    server.state = 'rejects';
    expect(await passed(server, 'app', 100)).toBe(32);
    expect(await passed(server, 'other', 100)).toBe(32);
    expect(server.questions).toHaveLength(1);
    vi.advanceTimersByTime(5_000);
    await passed(server, 'third', 10);
    expect(server.questions).toHaveLength(2);
    expect(server.notices).toEqual([
      'The rate limits hold for each server alone until the store answers: The store is not available.',
    ]);
    server.state = 'works';
    vi.advanceTimersByTime(5_000);
    expect(await passed(server, 'fourth', 100)).toBe(32);
    expect(server.notices[1]).toBe('The rate limits hold for all servers of the store again.');
  });

  it('are not waited for longer than a second if the store is silent', async () => {
    const server = trial();
    server.state = 'is silent';
    const began = Date.now();
    expect(await passed(server, 'app', 10)).toBe(10);
    expect(Date.now() - began).toBeLessThan(3_000);
    expect(server.questions).toHaveLength(1);
    expect(server.notices).toEqual([expect.stringContaining('it has not answered within 1000 ms')]);
  });
});
