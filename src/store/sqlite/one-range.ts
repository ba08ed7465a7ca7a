import { isAll } from '../plan/clause.ts';
import { armOfTerm, armOfType, termsInUse } from './arms.ts';
import { type FoundRow, foundRow } from './found.ts';
import type { LoweredSearch } from './lowered-search.ts';
import type { Database } from './open.ts';
import { axisOf, type Key } from './order.ts';
import { rangeStatement } from './walk.ts';

/**
 * The page, and one more, of a search whose matches are one range of one index, in its order: all resources of a type,
 * or those with a term. Undefined for any other search, and for one that is explained. There is nothing to plan for it.
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

function read(database: Database, { t, after, limit }: LoweredSearch, key: Key, of: Of): readonly FoundRow[] {
  const axis = axisOf(key, t);
  if (axis === undefined) throw new Error(`No index has the order \`${key.by}\``);
  const arm = of === undefined ? armOfType(axis) : armOfTerm(of.index, of.term);
  const statement = rangeStatement({ axis, after, want: limit + 1 }, arm);
  return statement === undefined ? [] : database.page(statement, limit + 1).map(row => foundRow(row, 1, row, 3));
}
