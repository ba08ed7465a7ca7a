import type { TypeIndex } from './dictionary.ts';
import { type Row, type Rows, rowWidths, selectRows, splitRows } from './rows.ts';

/**
 * The changed rows between the old and the new version of a resource, if `ord` stays. Rows of indexes that are being
 * built are always written: the old ones may not exist yet.
 */
export function differences(index: TypeIndex, added: Rows, removed: Rows): readonly [added: Rows, removed: Rows] {
  const all = [...index.indexes.values(), ...index.pairs];
  const isAllReady = all.every(one => one.ready);
  const ready = new Set(all.filter(one => one.ready).map(one => one.p));
  // Most tables of a usual update have the same rows in the same order, which is found without comparing row by row.
  const changed = new Set(names.filter(name => !isAllReady || !areEqual(added[name], removed[name])));
  const without = (rows: Rows, others: Rows): Rows =>
    selectRows(rows, table => {
      if (!changed.has(table)) return undefined;
      const same = new Set(splitRows(others, table).map(keyOf));
      return row => !ready.has(Number(row[0])) || !same.has(keyOf(row));
    });
  return [without(added, removed), without(removed, added)];
}

const names = Object.keys(rowWidths) as readonly (keyof Rows)[]; // its own keys

const areEqual = (left: Row, right: Row): boolean =>
  left.length === right.length && left.every((value, at) => value === right[at]);

const keyOf = (row: Row): string => JSON.stringify(row);
