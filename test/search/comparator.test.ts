// https://hl7.org/fhir/R4/search.html#prefix
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchParam } from '../../src/model/model.ts';
import type { Query } from '../../src/search/ast.ts';
import { matches } from '../../src/search/matches.ts';
import { dateBounds, numberBounds, prefixes, takePrefix } from '../../src/search/parse/comparator.ts';
import { type date, entry, number, parameter, resource } from './thing.ts';

type Bounds = ReturnType<typeof dateBounds>;

const passes = (param: SearchParam, bounds: Bounds, value: ReturnType<typeof date>): boolean => {
  const of = bounds.map((all): Query => ({ kind: 'param', param, test: { kind: 'range', bounds: all } }));
  return matches({ kind: 'or', of }, resource('x', [entry(param.code, value)]));
};

/** An interval as the set of the moments in it, on a clock of forty. */
const moments = (low: number, high: number): number[] => Array.from({ length: high - low }, (_, at) => low + at);

describe('dateBounds', () => {
  const when = parameter('date', 'date', ['dateTime']);
  const interval = fc.tuple(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 1, max: 40 })).filter(([a, b]) => a < b);

  /** The standard's words, moment by moment. */
  const meaning: Record<(typeof prefixes)[number], (search: number[], target: number[], now: number) => boolean> = {
    eq: (search, target) => target.every(moment => search.includes(moment)),
    ne: (search, target) => !target.every(moment => search.includes(moment)),
    gt: (search, target) => target.some(moment => search.every(one => moment > one)),
    lt: (search, target) => target.some(moment => search.every(one => moment < one)),
    ge: (search, target) => target.some(moment => moment >= Math.min(...search)),
    le: (search, target) => target.some(moment => moment <= Math.max(...search)),
    sa: (search, target) => target.every(moment => search.every(one => moment > one)),
    eb: (search, target) => target.every(moment => search.every(one => moment < one)),
    ap: (search, target, now) => {
      const first = Math.min(...search);
      const end = Math.max(...search) + 1;
      const slack = Math.round((now < first ? first - now : Math.max(now - end, 0)) / 10);
      return target.some(moment => moment >= first - slack && moment < end + slack);
    },
  };

  it.each(prefixes)('means by %s what the standard says', prefix => {
    fc.assert(
      fc.property(interval, interval, fc.integer({ min: 0, max: 60 }), ([from, to], [low, high], now) => {
        const bounds = dateBounds(prefix, { low: from, high: to }, now);
        const expected = meaning[prefix](moments(from, to), moments(low, high), now);
        expect(passes(when, bounds, { kind: 'date', low, high })).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it('finds each entry by exactly one of eq and ne', () => {
    fc.assert(
      fc.property(interval, interval, ([from, to], [low, high]) => {
        const [eq, ne] = (['eq', 'ne'] as const).map(prefix =>
          passes(when, dateBounds(prefix, { low: from, high: to }, 0), { kind: 'date', low, high }),
        );
        expect(eq).not.toBe(ne);
      }),
    );
  });
});

describe('numberBounds', () => {
  const score = parameter('score', 'number', ['decimal']);
  const small = fc.integer({ min: -50, max: 50 });

  it.each([
    ['gt', (entry: number, value: number) => entry > value],
    ['sa', (entry: number, value: number) => entry > value],
    ['lt', (entry: number, value: number) => entry < value],
    ['eb', (entry: number, value: number) => entry < value],
    ['ge', (entry: number, value: number) => entry >= value],
    ['le', (entry: number, value: number) => entry <= value],
    ['eq', (entry: number, value: number) => entry >= value - 5 && entry < value + 5],
    ['ne', (entry: number, value: number) => entry < value - 5 || entry >= value + 5],
    ['ap', (entry: number, value: number) => Math.abs(entry - value) <= Math.max(Math.abs(value) / 10, 5)],
  ] as const)('compares points by %s', (prefix, meaning) => {
    fc.assert(
      fc.property(small, small, (point, value) => {
        const bounds = numberBounds(prefix, { value, low: value - 5, high: value + 5, integer: false });
        expect(passes(score, bounds, number(point))).toBe(meaning(point, value));
      }),
      { numRuns: 500 },
    );
  });
});

describe('takePrefix', () => {
  it.each([
    ['ge2020', 'ge', '2020'],
    ['2020', 'eq', '2020'],
    ['gte2020', 'gt', 'e2020'],
    ['GE2020', 'eq', 'GE2020'],
    ['', 'eq', ''],
  ])('takes `%s` apart', (text, prefix, rest) => expect(takePrefix(text)).toEqual({ prefix, rest }));
});
