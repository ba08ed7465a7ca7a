// Distances on Earth, and the areas in which positions are looked for. https://hl7.org/fhir/R4/location.html#search
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { areaAround, distanceBetween, isPosition, type Position } from '../../src/fhir/position.ts';

const toronto = { latitude: 43.6532, longitude: -79.3832 };
const at = (latitude: number, longitude: number): Position => ({ latitude, longitude });

describe('a distance', () => {
  it.each([
    ['to itself', toronto, toronto, 0],
    ['of a degree of latitude', at(0, 0), at(1, 0), 111_195],
    ['of a degree of longitude on the equator', at(0, 10), at(0, 11), 111_195],
    ['of a degree of longitude in Toronto', toronto, at(43.6532, -78.3832), 80_455],
    ['across the meridian of 180°', at(0, 179.5), at(0, -179.5), 111_195],
    ['between two longitudes of a pole', at(90, 10), at(90, -170), 0],
    ['to Montréal', toronto, at(45.5019, -73.5674), 504_000],
    ['half around the Earth', at(0, 0), at(0, 180), 20_015_115],
  ])('%s', (_, from, to, metres) => {
    expect(Math.abs(distanceBetween(from, to) - metres)).toBeLessThan(Math.max(1, metres * 0.001));
    expect(distanceBetween(to, from)).toBeCloseTo(distanceBetween(from, to), 6);
  });
});

it('is of numbers within the ranges of degrees', () => {
  expect([isPosition(90, -180), isPosition(90.1, 0), isPosition(0, 180.1), isPosition('1', 0)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

describe('an area', () => {
  it.each([
    [
      'around a position',
      at(0, 0),
      111_195,
      [
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'is wider in the north',
      at(60, 0),
      111_195,
      [
        [59, 61],
        [-2, 2],
      ],
    ],
    [
      'across the meridian of 180°',
      at(0, -179.5),
      111_195,
      [
        [-1, 1],
        [-180, -178.5],
        [179.5, 180],
      ],
    ],
    [
      'across it from the west',
      at(0, 179.5),
      111_195,
      [
        [-1, 1],
        [178.5, 180],
        [-180, -179.5],
      ],
    ],
    [
      'with a pole',
      at(89.5, 0),
      111_195,
      [
        [88.5, 90],
        [-180, 180],
      ],
    ],
    [
      'of the whole Earth',
      at(0, 0),
      30_000_000,
      [
        [-90, 90],
        [-180, 180],
      ],
    ],
  ])('%s', (_, position, distance, ranges) => {
    const { latitudes, longitudes } = areaAround(position, distance);
    const found = [latitudes, ...longitudes].map(({ low, high }) => [low, high].map(one => Number(one.toFixed(2))));
    expect(found).toEqual(ranges);
  });

  it('has every position within the distance', () => {
    const degrees = (most: number) =>
      fc.oneof(
        fc.double({ min: -most, max: most, noNaN: true }),
        fc.constantFrom(-most, most, 0),
        fc.double({ min: most - 1e-3, max: most, noNaN: true }),
      );
    const position = fc.record({ latitude: degrees(90), longitude: degrees(180) });
    const near = fc.tuple(position, position, fc.double({ min: 0, max: 1, noNaN: true })).map(([a, b, share]) =>
      // Some are close to each other.
      share > 0.5 ? [a, b] : [a, at(a.latitude, b.longitude)],
    );
    fc.assert(
      fc.property(near, fc.double({ min: 0, max: 1e-6, noNaN: true }), ([a, b], more) => {
        if (a === undefined || b === undefined) return;
        const { latitudes, longitudes } = areaAround(a, distanceBetween(a, b) * (1 + more));
        const within = ({ low, high }: { low: number; high: number }, one: number) => low <= one && one <= high;
        // 180° and -180° are one meridian.
        const same = Math.abs(b.longitude) === 180 ? [180, -180] : [b.longitude];
        expect(within(latitudes, b.latitude)).toBe(true);
        expect(same.some(one => longitudes.some(range => within(range, one)))).toBe(true);
      }),
      { numRuns: 20_000 },
    );
  });
});
