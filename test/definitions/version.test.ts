import { describe, expect, it } from 'vitest';
import { compareVersions } from '../../src/definitions/definitions.ts';

describe('compareVersions', () => {
  it.each<[string, string | undefined, string]>([
    ['1.10.0', '1.9.0', 'numbers count as numbers'],
    ['1.1', '1.0.9', 'fewer parts may be newer'],
    ['1.1.0', '1.1.0-dft-ballot', 'a label comes before the release'],
    ['1.1.0-b', '1.1.0-a', 'labels by their letters'],
    ['2020', '1.0.0', 'years'],
    ['0.1', undefined, 'any version is newer than none'],
  ])('takes %s for newer than %s: %s', (newer, older) => {
    expect(compareVersions(newer, older)).toBeGreaterThan(0);
    expect(compareVersions(older, newer)).toBeLessThan(0);
  });

  it.each([
    ['1.0', '1.0.0'],
    [undefined, undefined],
    ['1.1.0-a', '1.1.0-a'],
  ])('takes %s and %s for the same', (a, b) => {
    expect(compareVersions(a, b)).toBe(0);
  });
});
