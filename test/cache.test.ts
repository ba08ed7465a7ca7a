import { describe, expect, it } from 'vitest';
import { Cache } from '../src/limits/cache.ts';

describe('a value in a cache', () => {
  it('is valid until its time', () => {
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

  it('does not expire where no time is given, and is replaced by another of its key', () => {
    const cache = new Cache<string>(1);
    cache.put('a', 'A');
    expect(cache.get('a', Number.MAX_SAFE_INTEGER)).toBe('A');
    cache.put('a', 'B');
    expect(cache.get('a')).toBe('B');
  });

  it('gives way to a new one where it was not used', () => {
    const cache = new Cache<string>(3);
    for (const key of ['a', 'b', 'c']) cache.put(key, key);
    cache.get('a');
    cache.put('d', 'd');
    expect(['a', 'b', 'c', 'd'].map(key => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
  });

  it('gives way in the order of age where all were used', () => {
    const cache = new Cache<string>(3);
    for (const key of ['a', 'b', 'c']) cache.put(key, key);
    for (const key of ['c', 'b', 'a']) cache.get(key);
    cache.put('d', 'd');
    expect(['a', 'b', 'c', 'd'].map(key => cache.get(key))).toEqual([undefined, 'b', 'c', 'd']);
  });

  it('stays while it is used, however many come and go', () => {
    const cache = new Cache<number>(10);
    cache.put('hot', -1);
    for (let count = 0; count < 1_000; count++) {
      expect(cache.get('hot')).toBe(-1);
      cache.put(`cold ${count}`, count);
    }
    expect(
      Array.from({ length: 1_000 }, (_, at) => cache.get(`cold ${at}`)).filter(one => one !== undefined),
    ).toHaveLength(9);
  });

  it('is gone when the cache is cleared', () => {
    const cache = new Cache<string>(1);
    cache.put('a', 'A');
    cache.clear();
    expect(cache.get('a')).toBeUndefined();
  });
});
