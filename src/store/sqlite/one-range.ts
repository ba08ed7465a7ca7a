import { isAll } from '../plan/clause.ts';
import { armOfTerm, armOfType, termsInUse } from './arms.ts';
import { type FoundRow, foundRow } from './found.ts';
import type { LoweredSearch } from './lowered-search.ts';
import type { Database } from './open.ts';
import { axisOf, type Key } from './order.ts';
import type { SqlValue } from './sql.ts';
import { rangeStatement } from './walk.ts';

/**
 * The page, and one more, of a search whose matches are one range of one index, in its order: all resources of a type,
 * or those with a term. Undefined for any other search, and for one that is explained. Such a statement depends on few
 * properties of a search: it is made for the first search with them, and kept, since making it takes 3 to 8 % of the
 * processor time of a search.
 */
export function pageOfRange(database: Database, search: LoweredSearch): readonly FoundRow[] | undefined {
  const { clause, keys } = search;
  const [key, second] = keys;
  if (key === undefined || second !== undefined || !isOneRange(key) || database.trace !== undefined) return undefined;
  if (isAll(clause)) return read(database, search, key, undefined);
  if (clause.kind !== 'terms' || key.by !== 'ord' || clause.values.length > mostTerms) return undefined;
  const [term, another] = termsInUse(database, clause.index, clause.values);
  if (term === undefined) return [];
  return another === undefined ? read(database, search, key, { index: clause.index, term }) : undefined;
}

/** A token has two: with its case and without. Of more, several are in use as a rule, and their ranges are merged. */
const mostTerms = 2;

/** Whether resources without a value are where they are sorted: they are stored first and sorted last. */
function isOneRange({ by, descending, p }: Key): boolean {
  return by === 'id' || by === 'updated' || (by === 'ord' && (descending || p === 0));
}

/** A term of an index; undefined for the whole type. */
type Of = { readonly index: number; readonly term: string } | undefined;

function read(database: Database, search: LoweredSearch, key: Key, of: Of): readonly FoundRow[] {
  const values = valuesOf(search, key, of);
  const properties = `${key.by} ${key.descending} ${of === undefined} ${search.after === undefined}`;
  let text = texts.get(properties);
  if (text === undefined) {
    text = textOf(search, key, of, values);
    texts.set(properties, text);
  }
  return database.all(text, values).map(row => foundRow(row, 1, row, 3));
}

/** By the properties on which they depend. */
const texts = new Map<string, string>();

function valuesOf({ t, after, limit }: LoweredSearch, { by }: Key, of: Of): readonly SqlValue[] {
  const values: SqlValue[] = of === undefined ? [t] : [of.index, of.term];
  if (after !== undefined && by !== 'id') values.push(after.keys[0] ?? null);
  if (after !== undefined) values.push(after.id);
  values.push(limit + 1);
  return values;
}

function textOf({ t, after, limit }: LoweredSearch, key: Key, of: Of, values: readonly SqlValue[]): string {
  const axis = axisOf(key, t);
  if (axis === undefined) throw new Error(`No index has the order \`${key.by}\``);
  const arm = of === undefined ? armOfType(axis) : armOfTerm(of.index, of.term);
  const made = rangeStatement({ axis, after, want: limit + 1 }, arm);
  if (made === undefined || JSON.stringify(made.values) !== JSON.stringify(values))
    throw new Error(`The values of this statement are others: ${made?.text}`);
  return made.text;
}
