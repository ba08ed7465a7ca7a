import type { Position, Sort } from '../../search/ast.ts';
import type { SortKind } from '../../search/sort-value.ts';
import { sortText, sortTextValue } from '../keys/order-key.ts';
import type * as plan from '../plan/sort.ts';
import { type End, lowerSort as lowerKeys } from '../plan/sort.ts';
import { IndexPending } from '../port/errors.ts';
import { orderCode, sortCode } from './declared-indexes.ts';
import { paramOf, type TypeIndex } from './dictionary.ts';
import { missingLast, missingOrd, missingText, missingTextLast } from './rows.ts';
import { join, raw, type Sql, sql } from './sql.ts';

/** A sort key with its indexes. */
export interface Key {
  readonly by: 'ord' | 'updated' | 'id' | 'low' | 'text';
  readonly descending: boolean;
  /** The date parameter whose low end is the key, or the sort index; 0 for an instant or an id. */
  readonly p: number;
  readonly end: End;
  /** Rows of `sorts` have the key. */
  readonly kept: boolean;
  /** The kind of the values of a sort index, whose rows are in \`strings\`. */
  readonly kind?: SortKind;
}

/** The key by id. */
export function byId(descending: boolean): Key {
  return { by: 'id', descending, p: 0, end: 'only', kept: true };
}

/**
 * Resolves sort keys. Throws `IndexPending` if an index is not complete. Searches of one shape have the same array of
 * sort keys, so that they are resolved once for each state of the indexes.
 */
export function lowerSort(sorts: readonly Sort[], index: TypeIndex): readonly Key[] {
  const known = resolved.get(index)?.get(sorts);
  if (known !== undefined) return known;
  const keys = resolve(sorts, index);
  const of = resolved.get(index) ?? new WeakMap<readonly Sort[], readonly Key[]>();
  resolved.set(index, of.set(sorts, keys));
  return keys;
}

const resolved = new WeakMap<TypeIndex, WeakMap<readonly Sort[], readonly Key[]>>();

function resolve(sorts: readonly Sort[], index: TypeIndex): readonly Key[] {
  if (!isOrdered(index) && sorts.some(({ by }) => by === 'default'))
    throw new IndexPending(index.type.name, paramOf(orderCode, index.type));
  return lowerKeys(sorts, index.planned.params).map(key => columnOf(key, index));
}

/** The position of a key in the file. */
function columnOf(key: plan.SortKey<number>, index: TypeIndex): Key {
  const { descending } = key;
  const { sortDate } = index.type;
  switch (key.by) {
    case 'id':
      return byId(descending);
    case 'updated':
      return { ...byId(descending), by: 'updated' };
    case 'created':
      return { ...byId(descending), by: 'ord' };
    case 'date': {
      const { index: p, end } = key;
      const found = index.params.find(param => param.p === p);
      if (end !== 'lowest' && found?.code === sortDate?.code && isOrdered(index))
        return { by: 'ord', descending, p, end, kept: true };
      const kept = (end === 'lowest' ? found?.sorts.lowest : found?.sorts.highest) ?? false;
      return { by: 'low', descending, p, end, kept };
    }
    case 'value': {
      const { param, end, kind } = key;
      const found = index.indexes.get(sortCode(param.code, end));
      if (found?.ready !== true) throw new IndexPending(index.type.name, param.code);
      return { by: 'text', descending, p: found.p, end, kept: true, kind };
    }
    default:
      return key satisfies never;
  }
}

/** Whether `ord` of all resources is that of these definitions. */
export function isOrdered(index: TypeIndex): boolean {
  return index.indexes.get(orderCode)?.ready ?? false;
}

/** The position after which a page begins, with numbers for missing values. */
export interface After {
  readonly keys: readonly (number | string)[];
  readonly id: string;
}

export function lowerPosition({ keys, id }: Position, order: readonly Key[]): After {
  const missing = (key: Key): number | string => {
    if (key.by === 'text') return key.descending ? missingText : missingTextLast;
    return key.descending ? missingOrd : missingLast;
  };
  const lowered = order.map((key, at) => {
    const value = keys[at] ?? null;
    if (value === null) return missing(key);
    return key.by === 'text' ? sortText(value) : value;
  });
  return { keys: lowered, id };
}

/** The position of a row with these sort values. */
export function positionOf(values: readonly (number | string)[], id: string, order: readonly Key[]): Position {
  return { keys: values.map((value, at) => valueIn(value, order[at]?.kind)), id };
}

/** `kind`: of the values of a sort index; undefined for any other key. */
function valueIn(value: number | string, kind: SortKind | undefined): number | string | null {
  if (typeof value === 'number') return Math.abs(value) === missingLast ? null : value;
  if (kind === undefined) return value;
  return value === missingText || value === missingTextLast ? null : sortTextValue(value, kind);
}

/** The sort value of a candidate `c`, found by key. */
export function keyValue(key: Key): Sql {
  switch (key.by) {
    case 'ord':
      return key.descending || key.p === 0
        ? raw('c.ord')
        : sql`CASE WHEN c.ord = ${missingOrd} THEN ${missingLast} ELSE c.ord END`;
    case 'updated':
      return raw('(SELECT u.last_updated FROM resources u WHERE u.r = c.r)');
    case 'id':
      return raw('c.id');
    case 'low': {
      const choose = raw(key.end === 'lowest' || !key.descending ? 'min' : 'max');
      return sql`coalesce((SELECT ${choose}(u.low) FROM ranges u INDEXED BY ranges_id
        WHERE u.p = ${key.p} AND u.id = c.id AND u.k = ''),
        ${key.descending ? missingOrd : missingLast})`;
    }
    case 'text': {
      const value = sql`SELECT u.folded FROM strings u INDEXED BY strings_id WHERE u.p = ${key.p} AND u.id = c.id`;
      return key.descending
        ? sql`coalesce((${value}), ${missingText})`
        : sql`coalesce((${value} AND u.folded > ${missingText}), ${missingTextLast})`;
    }
    default:
      return key.by satisfies never;
  }
}

/** The condition of rows after a position in the order of these values; ties by id in the direction of the last key. */
export function behind(values: readonly Sql[], keys: readonly Key[], after: After): Sql {
  const all = [...values, raw('c.id')];
  const at = [...after.keys, after.id];
  const directions = [...keys, keys.at(-1)].map(key => raw(key?.descending === true ? '<' : '>'));
  const steps = all.map((value, step) => {
    const same = all.slice(0, step).map((earlier, index) => sql`${earlier} = ${at[index] ?? null}`);
    return sql`(${join([...same, sql`${value} ${directions[step] ?? raw('>')} ${at[step] ?? null}`], ' AND ')})`;
  });
  return sql`(${join(steps, ' OR ')})`;
}

const ascending = raw('ASC');
const descending = raw('DESC');

export function orderBy(values: readonly Sql[], keys: readonly Key[]): Sql {
  const direction = (key: Key | undefined): Sql => (key?.descending === true ? descending : ascending);
  const ordered = values.map((value, at) => sql`${value} ${direction(keys[at])}`);
  ordered.push(sql`c.id ${direction(keys.at(-1))}`);
  return join(ordered, ', ');
}

/** The index of the resources of a type in the order of a key. */
export interface Axis {
  readonly key: Key;
  readonly column: Sql;
  /** The text after FROM, with the conditions that select the index. */
  readonly from: Sql;
  readonly where: Sql;
}

const resourceAxes = {
  ord: { column: raw('c.ord'), from: raw('resources c INDEXED BY resources_ord') },
  updated: { column: raw('c.last_updated'), from: raw('resources c INDEXED BY resources_updated') },
  id: { column: raw('c.id'), from: raw('resources c INDEXED BY resources_key') },
};

export function axisOf(key: Key, t: number): Axis | undefined {
  switch (key.by) {
    case 'ord':
    case 'updated':
    case 'id': {
      const { column, from } = resourceAxes[key.by];
      return { key, column, from, where: sql`c.t = ${t} AND c.ord IS NOT NULL` };
    }
    case 'low':
      return key.kept
        ? {
            key,
            column: raw('c.k'),
            from: raw('sorts c'),
            where: sql`c.p = ${key.p} AND c.which = ${key.end === 'lowest' ? 1 : 0}`,
          }
        : undefined;
    case 'text':
      return { key, column: raw('c.folded'), from: raw('strings c'), where: sql`c.p = ${key.p}` };
    default:
      return key.by satisfies never;
  }
}
