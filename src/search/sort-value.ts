import type { IndexEntry, IndexValue } from '../indexing/entry.ts';
import { foldCode, foldString } from '../indexing/normalize.ts';
import type { SearchParam } from '../model/model.ts';

/** The kind of the sort values of a parameter: times and numbers are numbers, all others texts. */
export type SortKind = 'time' | 'number' | 'text';

/** Undefined for a parameter that has no order. https://hl7.org/fhir/R4/search.html#sort */
export function sortKindOf({
  type,
  reads,
}: Pick<SearchParam, 'type'> & Partial<Pick<SearchParam, 'reads'>>): SortKind | undefined {
  if (reads !== undefined) return undefined;
  switch (type) {
    case 'date':
      return 'time';
    case 'number':
    case 'quantity':
      return 'number';
    case 'string':
    case 'token':
    case 'reference':
    case 'uri':
      return 'text';
    case 'composite':
    case 'special':
      return undefined;
    default:
      return type satisfies never;
  }
}

/**
 * The sort value of a resource by a parameter: of several values the lowest ascending, the highest descending; null if
 * it has none. `entries` are those of the resource.
 */
export function sortValue(code: string, entries: readonly IndexEntry[], descending: boolean): number | string | null {
  let best: number | string | null = null;
  for (const { param, value } of entries) {
    if (param !== code) continue;
    const one = valueOf(value);
    if (one === undefined) continue;
    if (best === null || (descending ? compareValues(one, best) > 0 : compareValues(one, best) < 0)) best = one;
  }
  return best;
}

/** Negative if `a` precedes `b` in ascending order: texts by code point, as stores compare them. */
export function compareValues(a: number | string, b: number | string): number {
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The value by which an entry is ordered; undefined if it has no order. */
function valueOf(value: IndexValue): number | string | undefined {
  switch (value.kind) {
    case 'date':
    case 'number':
      // -0 is 0.
      return value.low + 0;
    case 'quantity':
      return (value.canonical ?? value).low + 0;
    case 'string':
      // The whole text: a double name has each of its words as an entry too.
      return printable(foldString(value.text));
    case 'token':
      return value.code === undefined ? undefined : tokenText(value.code, value.display);
    case 'reference':
      return printable(value.id === undefined ? canonical(value.url, value.version) : `${value.type}/${value.id}`);
    case 'uri':
      return printable(value.uri);
    case 'composite':
    case 'words':
    case 'unsearchable':
      return undefined;
    default:
      return value satisfies never;
  }
}

/** The code, then the display: the separator precedes all characters of a code. */
function tokenText(code: string, display: string | undefined): string {
  const folded = printable(foldCode(code));
  return display === undefined ? folded : `${folded}\u0002${printable(foldString(display))}`;
}

const canonical = (url = '', version = ''): string => (version === '' ? url : `${url}|${version}`);

/** Number of characters of a text that count in an order: stores and page tokens contain sort values. */
const LONGEST = 200;

/** Without control characters, which separate parts of keys in stores, and no longer than `LONGEST`. */
function printable(text: string): string {
  // Not more than so many characters can be needed.
  const start = text.slice(0, 2 * LONGEST);
  const clean = plain.test(start) ? start : start.toWellFormed().replace(controls, ' ');
  return clean.length <= LONGEST ? clean : Array.from(clean).slice(0, LONGEST).join('');
}

const plain = /^[\x20-\x7e]*$/;
const controls = /\p{Cc}/gu;

function compareTexts(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** The position of a code unit in the order of code points: surrogates, of characters above U+FFFF, are last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
