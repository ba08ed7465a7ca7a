import type { Bound } from '../../search/ast.ts';

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
  return { min, minOpen, max: Infinity, maxOpen: false };
}

export function below(max: number, maxOpen: boolean): Interval {
  return { min: -Infinity, minOpen: false, max, maxOpen };
}

/** The intersection. */
export function intersect(a: Interval, b: Interval): Interval {
  if (a === everything) return b;
  const low = a.min > b.min || (a.min === b.min && a.minOpen) ? a : b;
  const high = a.max < b.max || (a.max === b.max && a.maxOpen) ? a : b;
  return { min: low.min, minOpen: low.minOpen, max: high.max, maxOpen: high.maxOpen };
}

/** The bounds on the two ends of an entry. */
export function endsOf(bounds: readonly Bound[]): { low: Interval; high: Interval } {
  let [low, high] = [everything, everything];
  for (const bound of bounds) {
    if (bound.end === 'low') low = intersect(low, interval(bound));
    else high = intersect(high, interval(bound));
  }
  return { low, high };
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

/** The first text after all that begin with the prefix; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  let end = prefix.length;
  while (end > 0) {
    const begin = (prefix.codePointAt(end - 2) ?? 0) > 0xffff ? end - 2 : end - 1;
    const last = prefix.codePointAt(begin) ?? 0;
    if (last < 0x10ffff) return prefix.slice(0, begin) + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
    end = begin;
  }
  return undefined;
}
