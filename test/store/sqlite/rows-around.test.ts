import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/store/sqlite/open.ts';
import { rowsAround } from '../../../src/store/sqlite/rows-around.ts';
import { walkAround } from '../../../src/store/sqlite/walk-around.ts';

/** Pages of a table: each has some rowids, and may be one that cannot be read. */
const pages = fc.array(
  fc.record({ rows: fc.integer({ min: 1, max: 6 }), gap: fc.integer({ min: 0, max: 40 }), isBroken: fc.boolean() }),
  { maxLength: 12 },
);

interface Page {
  readonly rowids: readonly number[];
  readonly isBroken: boolean;
}

function pagesOf(shapes: readonly { rows: number; gap: number; isBroken: boolean }[]): readonly Page[] {
  let next = 1;
  return shapes.map(({ rows, gap, isBroken }) => {
    const first = next + gap;
    next = first + rows;
    return { rowids: Array.from({ length: rows }, (_, at) => first + at), isBroken };
  });
}

/** Reads as SQLite does: from page to page, beginning with the one that may contain the next row. */
function reader(table: readonly Page[]) {
  return (after: number, limit: number): readonly Row[] => {
    const found: Row[] = [];
    for (const { rowids, isBroken } of table) {
      if ((rowids.at(-1) ?? 0) <= after) continue;
      if (isBroken) throw new Error('broken');
      for (const rowid of rowids) if (rowid > after && found.length < limit) found.push([rowid]);
      if (found.length === limit) break;
    }
    return found;
  };
}

describe('rowsAround', () => {
  it('gives all rows that can be read, whatever cannot, each once and in order', () => {
    fc.assert(
      fc.property(pages, fc.integer({ min: 1, max: 9 }), (shapes, limit) => {
        const table = pagesOf(shapes);
        const found = [...rowsAround(reader(table), limit)];
        const rows = found.flatMap(stretch => ('rows' in stretch ? stretch.rows : [])).map(([rowid]) => rowid);
        expect(rows).toEqual(table.filter(({ isBroken }) => !isBroken).flatMap(({ rowids }) => rowids));
        expect(found.some(stretch => 'why' in stretch)).toBe(table.some(({ isBroken }) => isBroken));
      }),
    );
  });

  it('ends where a page leads back to one before', () => {
    const read = (after: number, limit: number): readonly Row[] => (after < 5 ? [[1], [2], [3]] : []).slice(0, limit);
    const found = [...rowsAround(read, 2)];
    expect(found.filter(stretch => 'why' in stretch)).not.toEqual([]);
  });
});

describe('walkAround', () => {
  const walk = (keys: readonly string[], broken: ReadonlySet<string>, limit: number) => {
    const read = (from: Row | undefined, backwards: boolean, most: number): readonly Row[] => {
      const order = backwards ? keys.toReversed() : keys;
      const first = from === undefined ? 0 : order.indexOf(String(from[0])) + 1;
      const rows = order.slice(first, first + most);
      if (rows.some(key => broken.has(key))) throw new Error('broken');
      return rows.map(key => [key]);
    };
    const found: string[] = [];
    const slices = walkAround(read, 1, limit);
    for (let step = slices.next(); ; step = slices.next()) {
      if (step.done === true) return { found: found.toSorted(), why: step.value };
      found.push(...step.value.map(([key]) => String(key)));
    }
  };
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

  it.each<[title: string, broken: string[], found: string]>([
    ['nothing is broken', [], 'abcdefgh'],
    ['the first is', ['a'], 'bcdefgh'],
    ['the last is', ['h'], 'abcdefg'],
    ['one within is', ['d'], 'abcefgh'],
    ['several are: what lies between is left out', ['c', 'f'], 'abgh'],
    ['all are', keys, ''],
  ])('gives what lies before and behind, where %s', (_, broken, expected) => {
    for (const limit of [1, 2, 3, 100])
      expect(walk(keys, new Set(broken), limit)).toEqual({
        found: expected.split(''),
        why: broken.length === 0 ? undefined : 'broken',
      });
  });

  it('orders texts by their bytes, as SQLite does', () => {
    expect(walk(['\uffee', '😀'], new Set(), 1)).toEqual({ found: ['\uffee', '😀'].toSorted(), why: undefined });
  });

  it('ends where entries are out of order', () => {
    const read = (from: Row | undefined): readonly Row[] => (from?.[0] === 'a' ? [['b']] : [['a']]);
    const slices = walkAround(read, 1, 1);
    const all = [...{ [Symbol.iterator]: () => slices }];
    expect(all.length).toBeLessThan(10);
  });
});
