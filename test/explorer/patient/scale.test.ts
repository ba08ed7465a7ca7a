import { describe, expect, it } from 'vitest';
import { numberTicks, scaleOf, tickText, timeTicks } from '../../../src/explorer/patient/scale.ts';

describe('the scales of drawings', () => {
  it.each([
    [3, 44, [0, 20, 40, 60]],
    [0.13, 0.18, [0.12, 0.14, 0.16, 0.18]],
    [-5, 5, [-5, 0, 5]],
    [177, 177, [170, 180]],
    [0, 0, [0]],
    [98, 1203, [0, 500, 1000, 1500]],
  ])('have round numbers around %d to %d', (low, high, ticks) => {
    const found = numberTicks(low, high, 4);
    expect(found[0]).toBeLessThanOrEqual(low);
    expect(found.at(-1)).toBeGreaterThanOrEqual(high);
    expect(found).toEqual(ticks);
  });

  const days = (from: string, to: string, most: number, language: 'en' | 'fr' = 'en'): readonly string[] =>
    timeTicks(Date.parse(from), Date.parse(to), most).map(tick => tickText(tick, language));

  it.each([
    ['2026-01-10', '2026-05-20', 6, ['Feb', 'Mar', 'Apr', 'May']],
    ['2024-11-01', '2026-03-01', 6, ['2025', 'Apr', 'Jul', 'Oct', '2026']],
    ['1990-05-01', '2026-05-01', 10, ['1990', '1995', '2000', '2005', '2010', '2015', '2020', '2025'].slice(1)],
    ['2026-03-03', '2026-03-03', 4, []],
  ])('have round times from %s to %s', (from, to, most, ticks) => {
    expect(days(from, to, most)).toEqual(ticks);
  });

  it('name months in the language of the page', () => {
    expect(days('2026-01-10', '2026-03-20', 4, 'fr')).toEqual(['févr.', 'mars']);
  });

  it('put values between two places, and a single one in the middle', () => {
    expect([0, 5, 10].map(scaleOf(0, 10, 100, 0).at)).toEqual([100, 50, 0]);
    expect(scaleOf(7, 7, 0, 100).at(7)).toBe(50);
  });
});
