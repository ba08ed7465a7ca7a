import type { TypeIndex } from './dictionary.ts';
import { type Rows, selectRows, splitRows } from './rows.ts';

/**
 * The changed rows between the old and the new version of a resource, if `ord` stays. Rows of indexes that are being
 * built are always written: the old ones may not exist yet.
 */
export function differences(index: TypeIndex, added: Rows, removed: Rows): readonly [added: Rows, removed: Rows] {
  const all = [...index.indexes.values(), ...index.pairs];
  const ready = new Set(all.filter(one => one.ready).map(one => one.p));
  const without = (rows: Rows, others: Rows): Rows =>
    selectRows(rows, table => {
      const same = new Set(splitRows(others, table).map(row => JSON.stringify(row)));
      return row => !ready.has(Number(row[0])) || !same.has(JSON.stringify(row));
    });
  return [without(added, removed), without(removed, added)];
}
