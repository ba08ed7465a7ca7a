import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/demo/random.ts';

describe('random', () => {
  it('gives the same numbers for the same words, and others for others', () => {
    const numbers = (...words: (string | number)[]): number[] => {
      const random = createRandom(...words);
      return Array.from({ length: 5 }, () => random.integer(0, 1_000_000));
    };
    expect(numbers(1, 2)).toEqual(numbers(1, 2));
    expect(numbers(1, 2)).not.toEqual(numbers(12));
    expect(numbers(1, 2)).not.toEqual(numbers(2, 1));
  });

  it('keeps to its bounds and its mean', () => {
    const random = createRandom('bounds');
    const integers = Array.from({ length: 10_000 }, () => random.integer(3, 5));
    expect(new Set(integers)).toEqual(new Set([3, 4, 5]));
    const around = Array.from({ length: 10_000 }, () => random.around(100, 10));
    expect(Math.min(...around)).toBeGreaterThanOrEqual(65);
    expect(Math.max(...around)).toBeLessThanOrEqual(135);
    expect(around.reduce((sum, value) => sum + value, 0) / around.length).toBeCloseTo(100, 0);
  });

  it('takes some of a list, each once, in its order', () => {
    const random = createRandom('some');
    const list = [1, 2, 3, 4, 5];
    for (let round = 0; round < 100; round++) {
      const some = random.some(list, 3);
      expect(some).toHaveLength(3);
      expect(some).toEqual(list.filter(member => some.includes(member)));
    }
    expect(random.some(list, 9)).toEqual(list);
    expect(random.some(list, 0)).toEqual([]);
  });
});
