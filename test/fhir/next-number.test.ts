// The ends of intervals that do not include a number.
import { expect, it } from 'vitest';
import { numberAbove, numberBelow } from '../../src/indexing/quantity.ts';

it.each([
  [1, 0.9999999999999999, 1.0000000000000002],
  [-1, -1.0000000000000002, -0.9999999999999999],
  [0, -Number.MIN_VALUE, Number.MIN_VALUE],
  [-0, -Number.MIN_VALUE, Number.MIN_VALUE],
  [Number.MIN_VALUE, 0, 2 * Number.MIN_VALUE],
  [5.4, 5.3999999999999995, 5.400000000000001],
  [Number.MAX_VALUE, 1.7976931348623155e308, Number.MAX_VALUE],
  [-Number.MAX_VALUE, -Number.MAX_VALUE, -1.7976931348623155e308],
])('%d has %d below and %d above it', (value, below, above) => {
  expect([numberBelow(value), numberAbove(value)]).toEqual([below, above]);
});
