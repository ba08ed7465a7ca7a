import { afterPrefix } from '../after-prefix.ts';
import type { Interval } from '../interval.ts';
import type { Clause, RangeClause, ValueClause } from './clause.ts';
import { allOf, inGroups, join, raw, type Sql, sql } from './sql.ts';

/**
 * A clause as a condition on a candidate: `c` with `ord`, `id` and `r`. Each part is a search by key, and none is ever
 * null, so that `NOT` is the complement.
 */
export function check(clause: Clause): Sql {
  switch (clause.kind) {
    case 'and':
      return clause.of.length === 0 ? raw('1') : nested(clause.of.map(check), ' AND ');
    case 'or':
      // Not a constant: with one that is false SQLite finds no plan by the index that a source names.
      return clause.of.length === 0 ? raw('+c.r < 0') : nested(clause.of.map(check), ' OR ');
    case 'not':
      return sql`NOT ${check(clause.of)}`;
    case 'ids':
      return sql`c.id IN (SELECT value FROM json_each(${JSON.stringify(clause.ids)}))`;
    case 'updated':
      return sql`coalesce((SELECT ${inside(raw('u.last_updated'), clause.at)} FROM resources u WHERE u.r = c.r), 0)`;
    case 'tuple':
      return tuple(clause.of);
    case 'terms':
    case 'prefix':
    case 'string':
    case 'range':
      return sql`EXISTS (SELECT 1 FROM ${table(clause, 'x')} WHERE ${ofCandidate(clause, 'x')})`;
    default:
      return clause satisfies never;
  }
}

/** In groups: SQLite takes no expression that is deeper than 1,000. https://sqlite.org/limits.html#max_expr_depth */
function nested(parts: readonly Sql[], operator: ' AND ' | ' OR '): Sql {
  if (parts.length <= mostInRow) return sql`(${join(parts, operator)})`;
  return nested(
    inGroups(parts, mostInRow).map(some => nested(some, operator)),
    operator,
  );
}

const mostInRow = 100;

/** All components in entries of the same item. */
function tuple(parts: readonly ValueClause[]): Sql {
  const tables = parts.map((part, at) => table(part, `x${at}`));
  const conditions = parts.flatMap((part, at) => [
    ofCandidate(part, `x${at}`),
    ...(at === 0 ? [] : [raw(`x${at}.item = x0.item`)]),
  ]);
  return sql`EXISTS (SELECT 1 FROM ${join(tables, ' CROSS JOIN ')} WHERE ${allOf(conditions)})`;
}

function table({ kind }: ValueClause, name: string): Sql {
  switch (kind) {
    case 'terms':
    case 'prefix':
      return raw(`terms ${name}`);
    case 'string':
      return raw(`strings ${name} INDEXED BY strings_id`);
    case 'range':
      return raw(`ranges ${name} INDEXED BY ranges_id`);
    default:
      return kind satisfies never;
  }
}

function ofCandidate(clause: ValueClause, name: string): Sql {
  const column = (text: string): Sql => raw(`${name}.${text}`);
  const ofIndex = sql`${column('p')} = ${clause.index}`;
  const ofRecord = sql`${column('id')} = c.id`;
  switch (clause.kind) {
    case 'terms':
    case 'prefix':
      return allOf([ofIndex, ...termConditions(clause, column('v')), sql`${column('ord')} = c.ord`, ofRecord]);
    case 'string':
      return allOf([ofIndex, ofRecord, ...stringConditions(clause, column)]);
    case 'range':
      return allOf([ofIndex, ofRecord, ...rangeConditions(clause, column)]);
    default:
      return clause satisfies never;
  }
}

/** What a clause asks of a term. */
export function termConditions(clause: Extract<ValueClause, { kind: 'terms' | 'prefix' }>, value: Sql): readonly Sql[] {
  return clause.kind === 'terms' ? [sql`${value} ${anyValue(clause.values)}`] : startsWith(value, clause.prefix);
}

/** One of these values. */
function anyValue(values: readonly string[]): Sql {
  const [first] = values;
  if (values.length === 1 && first !== undefined) return sql`= ${first}`;
  if (values.length > 16) return sql`IN (SELECT value FROM json_each(${JSON.stringify(values)}))`;
  return sql`IN (${join(
    values.map(value => sql`${value}`),
    ', ',
  )})`;
}

/** What a string clause asks of an entry. */
function stringConditions(
  { how, text }: Extract<ValueClause, { kind: 'string' }>,
  column: (name: string) => Sql,
): readonly Sql[] {
  switch (how) {
    case 'exact':
      return [sql`${column('text')} = ${text}`];
    case 'starts':
      return startsWith(column('folded'), text);
    case 'contains':
      return [sql`instr(${column('folded')}, ${text}) > 0`];
    default:
      return how satisfies never;
  }
}

/** What a range clause asks of an entry. */
function rangeConditions(clause: RangeClause, column: (name: string) => Sql): readonly Sql[] {
  const key = clause.prefix ? startsWith(column('k'), clause.key) : [sql`${column('k')} = ${clause.key}`];
  return [...key, ...bounds(column('low'), clause.low), ...bounds(column('high'), clause.high)];
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

/** As a range, so that an index serves it. SQLite compares texts by code point. */
export function startsWith(value: Sql, prefix: string): readonly Sql[] {
  if (prefix === '') return [];
  const end = afterPrefix(prefix);
  return [sql`${value} >= ${prefix}`, ...(end === undefined ? [] : [sql`${value} < ${end}`])];
}
