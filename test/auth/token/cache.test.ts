import { describe, expect, it } from 'vitest';
import { Cache } from '../../../src/auth/token/cache.ts';

describe('what is remembered', () => {
  it('is good until its time', () => {
    const cache = new Cache<string>(2);
    cache.put('a', 'A', 10);
    expect([cache.get('a', 9), cache.get('a', 10), cache.get('a', 9)]).toEqual(['A', undefined, undefined]);
  });

  it('is removed when it has expired, whether it is used or not', () => {
    const cache = new Cache<string>(3);
    cache.put('a', 'A', 10);
    cache.put('b', 'B', 20);
    expect([cache.sweep(9), cache.sweep(10), cache.get('a', 0), cache.get('b', 0)]).toEqual([2, 1, undefined, 'B']);
    expect(cache.sweep(20)).toBe(0);
  });

  it('gives way in the order of use', () => {
    const cache = new Cache<string>(2);
    cache.put('a', 'A', 10);
    cache.put('b', 'B', 10);
    cache.get('a', 0);
    cache.put('c', 'C', 10);
    expect(['a', 'b', 'c'].map(key => cache.get(key, 0))).toEqual(['A', undefined, 'C']);
  });
});
