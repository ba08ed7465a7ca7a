import { describe, expect, it } from 'vitest';
import { isZone, printZoned, zonedTime } from '../../src/fhir/zone.ts';

describe('zone', () => {
  it('knows the zones of the runtime', () => {
    expect(isZone('UTC')).toBe(true);
    expect(isZone('America/Toronto')).toBe(true);
    expect(isZone('America/Trnto')).toBe(false);
    expect(isZone('')).toBe(false);
  });

  it('gives every local hour of a year a moment that does not go back', () => {
    let last = -Infinity;
    for (let local = Date.UTC(2024, 0, 1); local < Date.UTC(2025, 0, 1); local += 86_400_000) {
      const moment = zonedTime(local, 'America/Toronto');
      expect(moment).toBeGreaterThan(last);
      last = moment;
    }
  });

  it.each([
    [Date.UTC(2026, 0, 2, 3, 4, 5, 6), 'UTC', '2026-01-02T03:04:05.006+00:00'],
    [Date.UTC(2026, 0, 2, 3, 4, 5, 6), 'America/Toronto', '2026-01-01T22:04:05.006-05:00'],
    [Date.UTC(2026, 6, 2, 3, 4), 'America/Toronto', '2026-07-01T23:04:00.000-04:00'],
    [Date.UTC(2026, 6, 2, 3, 4), 'America/St_Johns', '2026-07-02T00:34:00.000-02:30'],
    [Date.UTC(2026, 6, 2, 3, 4), 'Asia/Kolkata', '2026-07-02T08:34:00.000+05:30'],
  ])('prints %i in %s as %s', (moment, zone, text) => {
    expect(printZoned(moment, zone)).toBe(text);
    expect(Date.parse(text)).toBe(moment);
  });
});
