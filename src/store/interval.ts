import type { Bound } from '../search/ast.ts';

/** Numbers between two ends; an `open` end is excluded. */
export interface Interval {
  readonly min: number;
  readonly minOpen: boolean;
  readonly max: number;
  readonly maxOpen: boolean;
}

/**
 * Dates up to this width, in milliseconds, are found by their low end, wider ones separately: a day with a clock
 * change, and more.
 */
export const dateWidth = 26 * 3_600_000;

export const everything: Interval = { min: -Infinity, minOpen: false, max: Infinity, maxOpen: false };

export function above(min: number, minOpen: boolean): Interval {
  return { ...everything, min, minOpen };
}

export function below(max: number, maxOpen: boolean): Interval {
  return { ...everything, max, maxOpen };
}

/** The intersection. */
export function intersect(a: Interval, b: Interval): Interval {
  const low = a.min > b.min || (a.min === b.min && a.minOpen) ? a : b;
  const high = a.max < b.max || (a.max === b.max && a.maxOpen) ? a : b;
  return { min: low.min, minOpen: low.minOpen, max: high.max, maxOpen: high.maxOpen };
}

/** The bounds on the two ends of an entry. */
export function endsOf(bounds: readonly Bound[]): { low: Interval; high: Interval } {
  const of = (end: Bound['end']): Interval =>
    bounds
      .filter(bound => bound.end === end)
      .map(interval)
      .reduce(intersect, everything);
  return { low: of('low'), high: of('high') };
}

/** lastUpdated is one millisecond wide: its high end is the instant plus one. */
export function instantsOf(bounds: readonly Bound[]): Interval {
  return bounds
    .map(bound => interval(bound.end === 'low' ? bound : { ...bound, value: bound.value - 1 }))
    .reduce(intersect, everything);
}

function interval({ is, value }: Bound): Interval {
  switch (is) {
    case '<':
      return below(value, true);
    case '<=':
      return below(value, false);
    case '>':
      return above(value, true);
    case '>=':
      return above(value, false);
    default:
      return is satisfies never;
  }
}
