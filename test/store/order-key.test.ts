import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TIME, MIN_TIME } from '../../src/fhir/instant-range.ts';
import { comparePositions } from '../../src/search/sort.ts';
import { orderKey, orderValue } from '../../src/store/keys/order-key.ts';

const anyTime = fc.oneof(
  fc.integer({ min: MIN_TIME, max: MAX_TIME }),
  fc.integer({ min: -3, max: 3 }),
  fc
    .tuple(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), fc.integer({ min: 0, max: 4095 }))
    .map(([a, b]) => a + b / 4096),
  fc.constantFrom(0.5, 1 / 4096, -1 / 4096, 1 - 1 / 4096),
  fc.constantFrom(MIN_TIME, MAX_TIME, 2 ** 30, -(2 ** 30), 2 ** 30 - 1),
);
const anyId = fc.stringMatching(/^[A-Za-z0-9.-]{1,4}$/);
const descending = [{ by: 'lastUpdated', descending: true }] as const;

describe('order keys', () => {
  it.each([
    [0, '9zlds000000\u0001a'],
    [-1, '9zldrhra0hr\u0001a'],
    [1 / 4096, '9zlds000000001\u0001a'],
    [undefined, '\u0001a'],
  ])('of %s', (value, key) => {
    expect(orderKey(value, 'a')).toBe(key);
  });

  it('order as times and ids do, what has none last in a descending order, and say the time again', () => {
    const anyPlace = fc.record({ time: fc.option(anyTime, { nil: null }), id: anyId });
    fc.assert(
      fc.property(anyPlace, anyPlace, (a, b) => {
        const [one, other] = [a, b].map(({ time, id }) => orderKey(time ?? undefined, id));
        if (one === undefined || other === undefined) return;
        const order = comparePositions(descending, { keys: [a.time], id: a.id }, { keys: [b.time], id: b.id });
        expect(Math.sign(order)).toBe(one === other ? 0 : one < other ? 1 : -1);
        expect(orderValue(one)).toBe(a.time);
      }),
      { numRuns: 2_000 },
    );
  });
});
