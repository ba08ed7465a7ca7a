// https://hl7.org/fhir/R4/search.html#sort
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position, Sort } from '../../src/search/ast.ts';
import type { Indexed } from '../../src/search/matches.ts';
import { comparePositions, positionOf } from '../../src/search/sort.ts';
import { date, entry, resource, search, thing } from './thing.ts';

const order = (query: string, resources: readonly Indexed[]): string => {
  const { sort } = search(query);
  return resources
    .map(one => positionOf(sort, thing, one))
    .sort((a, b) => comparePositions(sort, a, b))
    .map(({ id }) => id)
    .join(' ');
};

describe('order', () => {
  const resources = [
    resource('two', [entry('date', date('2020')), entry('date', date('2010'))], 3),
    resource('open', [entry('date', date('..2015'))], 2),
    resource('none', [], 5),
    resource('mid', [entry('date', date('2015'))], 4),
    resource('also', [entry('date', date('2015'))], 4),
  ];

  it.each([
    ['newest first by default, without a date last, ties by id', '', 'two mid also open none'],
    ['ascending by the lowest', '_sort=date', 'open two also mid none'],
    ['descending by the highest', '_sort=-date', 'two mid also open none'],
    ['by id', '_sort=_id', 'also mid none open two'],
    ['by id, descending', '_sort=-_id', 'two open none mid also'],
    ['by lastUpdated, ties by id in its direction', '_sort=-_lastUpdated', 'none mid also two open'],
    ['by a second key', '_sort=-date,_id', 'two also mid open none'],
  ])('is %s: %s', (_, query, expected) => expect(order(query, resources)).toBe(expected));

  it('is by creation, newest first, where the type names no date', () => {
    const type = { ...thing, sortDate: undefined };
    const sort: Sort[] = [{ by: 'default', descending: true }];
    const keysOf = (created?: number) => resources.map(one => positionOf(sort, type, { ...one, created }).keys);
    expect(keysOf(1)).toEqual([[1], [1], [1], [1], [1]]);
    // Of a first version.
    expect(keysOf()).toEqual([[3], [2], [5], [4], [4]]);
  });
});

describe('comparePositions', () => {
  const keys = fc.constantFrom(
    '',
    '_sort=date',
    '_sort=-date,born',
    '_sort=born,-date',
    '_sort=-born,_id',
    '_sort=_lastUpdated,-date',
  );
  const some = fc
    .array(
      fc.record({
        lastUpdated: fc.integer({ min: 0, max: 2 }),
        dates: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 2 }),
        born: fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 1 }),
      }),
      { maxLength: 12 },
    )
    .map(all =>
      all.map(({ lastUpdated, dates, born }, at) =>
        resource(
          `r${at}`,
          [
            ...dates.map(low => entry('date', { kind: 'date', low, high: low + 1 })),
            ...born.map(low => entry('born', { kind: 'date', low, high: low + 1 })),
          ],
          lastUpdated,
        ),
      ),
    );

  it('is total: one of two comes first, and what is before the first is before the second', () => {
    fc.assert(
      fc.property(keys, some, (query, resources) => {
        const { sort } = search(query);
        const positions = resources.map(one => positionOf(sort, thing, one));
        const before = (a: Position, b: Position): boolean => comparePositions(sort, a, b) < 0;
        for (const a of positions) {
          for (const b of positions) {
            expect([before(a, b), before(b, a), a === b].filter(Boolean)).toHaveLength(1);
            for (const c of positions) expect(before(a, b) && before(b, c) && !before(a, c)).toBe(false);
          }
        }
      }),
    );
  });

  it('gives pages that together are the whole, whatever their size', () => {
    fc.assert(
      fc.property(keys, some, fc.integer({ min: 1, max: 5 }), (query, resources, size) => {
        const { sort } = search(query);
        const all = resources.map(one => positionOf(sort, thing, one)).sort((a, b) => comparePositions(sort, a, b));
        const walked: string[] = [];
        for (let page = all.slice(0, size); page.length > 0;) {
          walked.push(...page.map(({ id }) => id));
          const last = page.at(-1);
          // As it comes back out of a token.
          const after = JSON.parse(JSON.stringify(last)) as typeof last;
          page = all.filter(one => after && comparePositions(sort, one, after) > 0).slice(0, size);
        }
        expect(walked).toEqual(all.map(({ id }) => id));
      }),
    );
  });
});
