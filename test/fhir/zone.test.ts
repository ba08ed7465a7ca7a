import { describe, expect, it } from 'vitest';
import { isZone, zonedTime } from '../../src/fhir/zone.ts';

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
});
