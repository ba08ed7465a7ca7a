import { describe, expect, it } from 'vitest';
import { createBuckets } from '../src/limits/token-buckets.ts';

describe('a token bucket', () => {
  it.each([
    ['is full at first', [[0, 10, true]]],
    [
      'refuses what it does not have, and takes nothing then',
      [
        [0, 8, true],
        [0, 3, false],
        [0, 2, true],
      ],
    ],
    [
      'fills by its rate',
      [
        [0, 10, true],
        [499, 1, false],
        [500, 1, true],
        [500, 1, false],
      ],
    ],
    [
      'never has more than its capacity',
      [
        [0, 10, true],
        [60_000, 10, true],
        [60_000, 1, false],
      ],
    ],
    [
      'takes all for what costs more',
      [
        [0, 50, true],
        [0, 1, false],
        [4_999, 50, false],
        [5_000, 50, true],
      ],
    ],
    [
      'does not fill while the clock goes back',
      [
        [5_000, 10, true],
        [0, 1, false],
        [5_500, 1, true],
      ],
    ],
  ] as const)('%s', (_what, steps) => {
    let now = 0;
    const buckets = createBuckets({ perSecond: 2, capacity: 10 }, () => now);
    for (const [at, cost, taken] of steps) {
      now = at;
      expect([at, cost, buckets.take('key', cost).retryAfter === undefined]).toEqual([at, cost, taken]);
    }
  });

  it('reports what is left, and the seconds until there is enough', () => {
    let now = 0;
    const { take } = createBuckets({ perSecond: 2, capacity: 10 }, () => now);
    expect(take('key', 4)).toEqual({ left: 6, retryAfter: undefined });
    expect(take('key', 9)).toEqual({ left: 6, retryAfter: 2 }); // a cheaper request passes
    now = 1_500;
    expect(take('key', 9)).toEqual({ left: 0, retryAfter: undefined });
  });

  it('is separate for each key', () => {
    const { take } = createBuckets({ perSecond: 1, capacity: 1 }, () => 0);
    expect(['a', 'b', 'a', 'b'].map(key => take(key, 1).retryAfter)).toEqual([undefined, undefined, 1, 1]);
  });

  it('is forgotten when it is full, and otherwise only for others that were used later', () => {
    let now = 0;
    const { take } = createBuckets({ perSecond: 1, capacity: 10 }, () => now, 3);
    const isEmpty = (key: string): boolean => take(key, 10).retryAfter !== undefined;
    take('full soon', 1);
    take('empty', 10);
    take('older', 10);
    now = 1_000;
    take('empty', 1);
    take('new', 10); // in the place of the one that is full
    expect([isEmpty('empty'), isEmpty('older')]).toEqual([true, true]);
    take('another', 10); // in the place of the one that was not used for longest
    expect([isEmpty('older'), isEmpty('empty'), isEmpty('another')]).toEqual([true, true, true]);
    expect(isEmpty('new')).toBe(false);
  });

  it('makes room for many keys at once, if all buckets are in use', () => {
    const { take } = createBuckets({ perSecond: 1, capacity: 1 }, () => 0, 1_600);
    for (let key = 0; key < 1_700; key++) take(`key ${key}`, 1);
    const isKnown = (key: number): boolean => take(`key ${key}`, 1).retryAfter !== undefined;
    expect([1_699, 100, 99].map(isKnown)).toEqual([true, true, false]);
  });

  it('takes no longer for each key if there are many more of them', () => {
    const { take } = createBuckets({ perSecond: 0.001, capacity: 100 }, () => 0);
    const began = performance.now();
    for (let key = 0; key < 200_000; key++) take(`key ${key}`, 1);
    expect(performance.now() - began).toBeLessThan(10_000); // a look at all for each: minutes
  });
});
