import type { TypeIndex } from './dictionary.ts';
import { type Rows, rowWidths } from './rows.ts';

/**
 * The changed rows between the old and the new version of a resource, if `ord` stays. Rows of indexes that are being
 * built are always written: the old ones may not exist yet.
 */
export function differences(index: TypeIndex, added: Rows, removed: Rows): readonly [added: Rows, removed: Rows] {
  const all = [...index.indexes.values(), ...index.pairs];
  const ready = new Set(all.filter(one => one.ready).map(one => one.p));
  const without = (rows: Rows, others: Rows): Rows => {
    const keep = <K extends keyof Rows>(name: K): Rows[K] =>
      // the same values
      flatten(leftOut(slices(rows[name], rowWidths[name]), slices(others[name], rowWidths[name]), ready)) as Rows[K];
    return {
      terms: keep('terms'),
      strings: keep('strings'),
      ranges: keep('ranges'),
      sorts: keep('sorts'),
      words: keep('words'),
    };
  };
  return [without(added, removed), without(removed, added)];
}

type Row = readonly (number | string)[];

function slices(flat: readonly (number | string)[], width: number): readonly Row[] {
  return Array.from({ length: flat.length / width }, (_, at) => flat.slice(at * width, (at + 1) * width));
}

function leftOut(rows: readonly Row[], others: readonly Row[], ready: ReadonlySet<number>): readonly Row[] {
  const same = new Set(others.map(row => JSON.stringify(row)));
  return rows.filter(row => !ready.has(Number(row[0])) || !same.has(JSON.stringify(row)));
}

function flatten(rows: readonly Row[]): (number | string)[] {
  return rows.flat();
}
