import type { IndexEntry, IndexValue } from '../../indexing/entry.ts';
import type { SearchParam } from '../../model/model.ts';
import { sortValue } from '../../search/sort-value.ts';
import { absoluteTerms, lowEnds, missing, pairTerms, quantityRanges, valueTerms, valuesOf } from '../keys/terms.ts';
import type { Values } from '../keys/terms.ts';
import { dateWidth } from '../keys/interval.ts';
import { sortText } from '../keys/order-key.ts';
import type { ParamIndex, TypeIndex } from './dictionary.ts';

/** `ord` of a resource without the sort date: before all others. */
export const missingOrd = -9e15;

/** The sort value of a missing value in an ascending sort; `missingOrd` in a descending one: last in both. */
export const missingLast = 9e15;

/** The folded text of a missing value in the rows of a sort index: before all others. */
export const missingText = '';

/** The sort value of a missing text in an ascending sort; `missingText` in a descending one: last in both. */
export const missingTextLast = '~';

/**
 * The rows of one resource, flat: terms `p, v, item`, strings `p, folded, text, item`, ranges `p, k, long, low, high,
 * item`, sorts `p, which, k`, words `p, text`. Indexes that are not stored (p = 0) have none.
 */
export interface Rows {
  readonly terms: (number | string)[];
  readonly strings: (number | string)[];
  readonly ranges: (number | string)[];
  readonly sorts: number[];
  readonly words: (number | string)[];
}

/** Number of values per row of each table. */
export const rowWidths = { terms: 3, strings: 4, ranges: 6, sorts: 3, words: 2 } as const;

export type Row = readonly (number | string)[];

/** The rows of each table that pass its test; none of a table without one. */
export function selectRows(rows: Rows, testOf: (table: keyof Rows) => ((row: Row) => boolean) | undefined): Rows {
  const select = <K extends keyof Rows>(table: K): Rows[K] => {
    const test = testOf(table);
    return (test === undefined ? [] : splitRows(rows, table).filter(test).flat()) as Rows[K]; // the same values
  };
  return {
    terms: select('terms'),
    strings: select('strings'),
    ranges: select('ranges'),
    sorts: select('sorts'),
    words: select('words'),
  };
}

/** The rows of a table, each of its own. */
export function splitRows(rows: Rows, table: keyof Rows): readonly Row[] {
  const flat: Row = rows[table];
  const width = rowWidths[table];
  return Array.from({ length: flat.length / width }, (_, at) => flat.slice(at * width, (at + 1) * width));
}

/** An empty, mutable set of rows. */
export const emptyRows = (): Rows => ({ terms: [], strings: [], ranges: [], sorts: [], words: [] });

/** The rows of entries, and `ord` if the type has a sort date. */
export function rowsOf(index: TypeIndex, entries: readonly IndexEntry[]): { rows: Rows; ord: number | undefined } {
  const rows = emptyRows();
  const values = valuesOf(entries);
  for (const param of index.params) {
    addParam(rows, param, values.get(param.code) ?? []);
    for (const { p, end } of param.ordered) {
      const value = p === 0 ? null : sortValue(param.code, entries, end !== 'lowest');
      if (p !== 0) rows.strings.push(p, value === null ? missingText : sortText(value), '', 0);
    }
  }
  for (const pair of index.pairs) {
    if (pair.p === 0) continue;
    for (const term of pairTerms(values, pair.owner, pair.token)) rows.terms.push(pair.p, term, 0);
  }
  return { rows, ord: ordOf(index, values) };
}

function addParam(rows: Rows, param: ParamIndex, values: readonly IndexValue[]): void {
  if (param.p !== 0) {
    if (values.length === 0) rows.terms.push(param.p, missing, 0);
    for (const value of values) addValue(rows, param.p, param.param, value, 0);
    if (param.sorts.highest) rows.sorts.push(param.p, 0, lowEnd(values, Math.max));
    if (param.sorts.lowest) rows.sorts.push(param.p, 1, lowEnd(values, Math.min));
  }
  for (const [item, value] of values.entries()) {
    if (value.kind !== 'composite') continue;
    for (const [at, { p }] of param.components.entries()) {
      const of = param.param.components[at]?.param;
      if (p !== 0 && of !== undefined) for (const part of value.of[at] ?? []) addValue(rows, p, of, part, item + 1);
    }
  }
}

function addValue(rows: Rows, p: number, { targets }: SearchParam, value: IndexValue, item: number): void {
  switch (value.kind) {
    case 'token':
    case 'reference':
    case 'uri':
      for (const term of valueTerms(value)) rows.terms.push(p, term, item);
      if (value.kind === 'reference' && targets.length === 0)
        for (const term of absoluteTerms(value)) rows.terms.push(p, term, item);
      return;
    case 'string':
      rows.strings.push(p, value.folded, value.text, item);
      return;
    case 'words':
      rows.words.push(p, value.text);
      return;
    case 'date':
    case 'number':
      rows.ranges.push(p, '', isLong(value, value.kind === 'date' ? dateWidth : 0), value.low, value.high, item);
      return;
    case 'quantity':
      for (const range of quantityRanges(value))
        rows.ranges.push(p, range.key, isLong(range, 0), range.low, range.high, item);
      return;
    case 'composite':
    case 'unsearchable': // It has no marker of a missing value, which is all that `:missing` needs.
      return;
    default:
      value satisfies never;
  }
}

function isLong(value: { low: number; high: number }, width: number): 0 | 1 {
  return value.high - value.low > width ? 1 : 0;
}

function ordOf(index: TypeIndex, values: Values): number | undefined {
  const { sortDate } = index.type;
  return sortDate === undefined ? undefined : lowEnd(values.get(sortDate.code) ?? [], Math.max);
}

function lowEnd(values: readonly IndexValue[], choose: (...of: number[]) => number): number {
  const lows = lowEnds(values);
  return lows.length === 0 ? missingOrd : choose(...lows);
}

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
