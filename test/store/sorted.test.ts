import { expect, it } from 'vitest';
import { nextBatch } from '../../src/store/keys/sorted.ts';

it.each([
  ['of small records, twice as many', 200, 2_000, 400],
  ['of small records, at most 2,000', 1_600, 2_000, 2_000],
  ['of records of 20 kB, what has 16 MB of text', 800, 20_000, 838],
  ['of records of 1 MB, as few as at first', 200, 1_000_000, 200],
  ['of records without a text, twice as many', 400, 0, 800],
])('a sort without an index reads matches in batches: %s', (_, before, mean, after) => {
  expect(nextBatch(before, mean)).toBe(after);
});
