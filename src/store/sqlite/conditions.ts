import { afterPrefix, type Interval } from '../keys/interval.ts';
import type { RangeClause, ValueClause } from './lower.ts';
import { allOf, join, raw, sql, type Sql } from './sql.ts';

/** The condition of a terms clause. */
export function termConditions(clause: Extract<ValueClause, { kind: 'terms' | 'prefix' }>, value: Sql): readonly Sql[] {
  if (clause.kind === 'terms') return [sql`${value} ${anyValue(clause.values)}`];
  const { prefix, after, before } = clause;
  const end = before ?? afterPrefix(prefix);
  return [
    ...(after !== undefined ? [sql`${value} > ${after}`] : prefix === '' ? [] : [sql`${value} >= ${prefix}`]),
    ...(prefix === '' || end === undefined ? [] : [sql`${value} < ${end}`]),
  ];
}

/** One of these values. */
function anyValue(values: readonly string[]): Sql {
  const [first] = values;
  if (values.length === 1 && first !== undefined) return sql`= ${first}`;
  if (values.length > 16) return sql`IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return sql`IN (${join(values, ', ')})`;
}

/** The condition of a string clause. */
export function stringConditions(
  { how, text }: Extract<ValueClause, { kind: 'string' }>,
  entry: Pick<Columns, 'text' | 'folded'>,
): readonly Sql[] {
  switch (how) {
    case 'exact':
      return [sql`${entry.text} = ${text}`];
    case 'starts':
      return startsWith(entry.folded, text);
    case 'contains':
      return [sql`instr(${entry.folded}, ${text}) > 0`];
    default:
      return how satisfies never;
  }
}

/** The condition of a range clause. */
export function rangeConditions(
  clause: RangeClause,
  { k, low, high }: Pick<Columns, 'k' | 'low' | 'high'>,
): readonly Sql[] {
  const key = clause.prefix ? startsWith(k, clause.key) : [sql`${k} = ${clause.key}`];
  return [...key, ...bounds(low, clause.low), ...bounds(high, clause.high)];
}

/** Inside an interval, as one condition. */
export function inside(value: Sql, interval: Interval): Sql {
  return allOf(bounds(value, interval));
}

/** Inside an interval: no, one or two conditions. */
export function bounds(value: Sql, { min, minOpen, max, maxOpen }: Interval): readonly Sql[] {
  const conditions: Sql[] = [];
  if (min !== -Infinity) conditions.push(minOpen ? sql`${value} > ${min}` : sql`${value} >= ${min}`);
  if (max !== Infinity) conditions.push(maxOpen ? sql`${value} < ${max}` : sql`${value} <= ${max}`);
  return conditions;
}

/** Conditions of a range, so that an index can be used. SQLite compares texts by code point. */
export function startsWith(value: Sql, prefix: string): readonly Sql[] {
  if (prefix === '') return [];
  const end = afterPrefix(prefix);
  return [sql`${value} >= ${prefix}`, ...(end === undefined ? [] : [sql`${value} < ${end}`])];
}

/** The tables of entries, with the index that has them by resource, and their columns, under one name. */
export interface Columns {
  readonly table: Readonly<Record<'terms' | 'prefix' | 'string' | 'range', Sql>>;
  readonly p: Sql;
  readonly id: Sql;
  readonly ord: Sql;
  readonly item: Sql;
  readonly v: Sql;
  readonly folded: Sql;
  readonly text: Sql;
  readonly k: Sql;
  readonly low: Sql;
  readonly high: Sql;
}

/** Each is made once; there are as many names as a composite has components. */
const known = new Map<string, Columns>();

export function columnsOf(name: string): Columns {
  let columns = known.get(name);
  if (columns === undefined) known.set(name, (columns = make(name)));
  return columns;
}

function make(name: string): Columns {
  const terms = raw(`terms ${name}`);
  return {
    table: {
      terms,
      prefix: terms,
      string: raw(`strings ${name} INDEXED BY strings_id`),
      range: raw(`ranges ${name} INDEXED BY ranges_id`),
    },
    p: raw(`${name}.p`),
    id: raw(`${name}.id`),
    ord: raw(`${name}.ord`),
    item: raw(`${name}.item`),
    v: raw(`${name}.v`),
    folded: raw(`${name}.folded`),
    text: raw(`${name}.text`),
    k: raw(`${name}.k`),
    low: raw(`${name}.low`),
    high: raw(`${name}.high`),
  };
}
