import { foldString } from '../../indexing/normalize.ts';
import { everything, intersect, type Interval } from '../keys/interval.ts';
import { bounds, inside, startsWith, termConditions } from './conditions.ts';
import type { Clause, RangeClause } from './lower.ts';
import type { Database } from './open.ts';
import { allOf, inGroups, join, limit, raw, type Sql, sql } from './sql.ts';

/** One range of an index: a select of `ord, id, r`, and the remaining checks of its rows. */
export interface SourceArm {
  readonly range: Sql;
  readonly rest: readonly Sql[];
}

/** The candidates of an index: ranges which together contain every match of a clause. */
export interface Source {
  readonly arms: readonly SourceArm[];
  /** Every candidate matches the clause. */
  readonly exact: boolean;
  /** No duplicate candidates. */
  readonly distinct: boolean;
}

/** Resources with one of these ids. */
export function idSource(ids: readonly string[], t: number): Source {
  const range = sql`SELECT c.ord, c.id, c.r FROM json_each(${JSON.stringify(ids)}) j
    CROSS JOIN resources c INDEXED BY resources_key ON c.t = ${t} AND c.id = j.value WHERE c.ord IS NOT NULL`;
  return { arms: [all(range)], exact: true, distinct: true };
}

/** Resources with lastUpdated in an interval. */
export function updatedSource(at: Interval, t: number): Source {
  const range = sql`SELECT c.ord, c.id, c.r FROM resources c INDEXED BY resources_updated
    WHERE c.t = ${t} AND c.ord IS NOT NULL AND ${inside(raw('c.last_updated'), at)}`;
  return { arms: [all(range)], exact: true, distinct: true };
}

/** The union of sources; empty if one of them does not exist. */
export function unionOf(sources: readonly (Source | undefined)[]): readonly Source[] {
  const found = sources.filter(source => source !== undefined);
  if (found.length < sources.length) return [];
  return [
    {
      arms: found.flatMap(source => source.arms),
      exact: found.every(source => source.exact),
      distinct: sources.length === 0,
    },
  ];
}

/** All resources of a type. */
export function typeSource(t: number): Source {
  return {
    arms: [
      all(
        sql`SELECT c.ord, c.id, c.r FROM resources c INDEXED BY resources_ord WHERE c.t = ${t} AND c.ord IS NOT NULL`,
      ),
    ],
    exact: true,
    distinct: true,
  };
}

export function termSource(clause: Extract<Clause, { kind: 'terms' | 'prefix' }>): Source {
  const conditions = allOf([sql`c.p = ${clause.index}`, ...termConditions(clause, raw('c.v'))]);
  return {
    arms: [all(sql`SELECT c.ord, c.id, c.r FROM terms c WHERE ${conditions}`)],
    exact: true,
    distinct: clause.kind === 'terms' && clause.values.length === 1,
  };
}

export function stringSource({ index, how, text }: Extract<Clause, { kind: 'string' }>): Source {
  const select = sql`SELECT c.ord, c.id, c.r FROM strings c WHERE c.p = ${index}`;
  const arms = {
    exact: all(sql`${select} AND c.folded = ${foldString(text)} AND c.text = ${text}`),
    starts: all(sql`${select} AND ${allOf(startsWith(raw('c.folded'), text))}`),
    contains: { range: select, rest: [sql`instr(c.folded, ${text}) > 0`] },
  };
  return { arms: [arms[how]], exact: true, distinct: false };
}

/** Short intervals by their low end, which a bound on the high end bounds as well; long ones by the bounded end. */
export function rangeSource(clause: RangeClause): Source {
  const { low, high, width, index, key } = clause;
  if (clause.prefix) {
    const range = sql`SELECT c.ord, c.id, c.r FROM ranges c
      WHERE c.p = ${index} AND ${allOf(startsWith(raw('c.k'), key))}`;
    return { arms: [{ range, rest: residual(clause, everything) }], exact: true, distinct: false };
  }
  const short = intersect(low, { ...high, min: high.min - width });
  const range = sql`SELECT c.ord, c.id, c.r FROM ranges c
    WHERE c.p = ${index} AND c.k = ${key} AND c.long = 0 AND ${allOf(bounds(raw('c.low'), short))}`;
  return {
    arms: [{ range, rest: residual(clause, short) }, longArm(clause)],
    exact: true,
    distinct: clause.single,
  };
}

/** The bounds that the index does not imply already. */
function residual({ low, high }: RangeClause, used: { min: number; max: number }): readonly Sql[] {
  const lowRest = low.min === used.min && low.max === used.max ? [] : bounds(raw('+c.low'), low);
  return [...lowRest, ...bounds(raw('+c.high'), high)];
}

/** The long intervals of a clause. */
export function longArm({ index, key, low, high }: RangeClause): SourceArm {
  const long = sql`c.p = ${index} AND c.k = ${key} AND c.long = 1`;
  if (high.min === -Infinity && high.max === Infinity)
    return all(sql`SELECT c.ord, c.id, c.r FROM ranges c WHERE ${long} AND ${allOf(bounds(raw('c.low'), low))}`);
  return {
    range: sql`SELECT c.ord, c.id, c.r FROM ranges c INDEXED BY ranges_high
      WHERE ${long} AND ${allOf(bounds(raw('c.high'), high))}`,
    rest: bounds(raw('+c.low'), low),
  };
}

function all(range: Sql): SourceArm {
  return { range, rest: [] };
}

/** The candidates of a source, as one table; `before` is checked for each row before the remaining checks. */
export function candidates({ arms }: Source, before: readonly Sql[] = []): Sql {
  return union(arms.map(({ range, rest }) => allOf([range, ...before, ...rest])));
}

/** The rows that a source reads, as one table: at least its candidates. */
function lookedAt({ arms }: Source): Sql {
  return union(arms.map(({ range }) => range));
}

/** The number of current resources of a type. */
export function resourcesOf(database: Database, t: number): number {
  return Number(database.get('SELECT resources FROM types WHERE t = ?', [t])?.[0] ?? 0);
}

/**
 * The number of rows that a source reads, up to a limit. A limit under `count` makes SQLite store the rows, which costs
 * more than reading some: if they are few, as usual, they are counted without one.
 */
export function countUpTo(database: Database, source: Source, most: number): number {
  const [only, ...others] = source.arms;
  if (only !== undefined && others.length === 0 && !hasMore(database, only.range, Math.min(most, fewRows))) {
    const [row] = database.query(sql`SELECT count(*) FROM (${only.range})`);
    return Math.min(Number(row?.[0]), most);
  }
  const [row] = database.query(sql`SELECT count(*) FROM (SELECT 1 FROM ${lookedAt(source)} ${limit(most)})`);
  return Number(row?.[0]);
}

const fewRows = 200;

/** Whether a source reads more rows than this number. */
export function hasMoreThan(database: Database, source: Source, than: number): boolean {
  return hasMore(database, sql`SELECT 1 FROM ${lookedAt(source)}`, than);
}

/** Whether a select has more rows than this number. */
export function hasMore(database: Database, select: Sql, than: number): boolean {
  return database.query(sql`SELECT 1 FROM (${select}) LIMIT 1 OFFSET ${than}`).length > 0;
}

function union(selects: readonly Sql[]): Sql {
  if (selects.length === 0) return raw('(SELECT 0 AS ord, 0 AS id, 0 AS r WHERE 0)');
  if (selects.length <= mostSelects) return sql`(${join(selects, ' UNION ALL ')})`;
  return union(inGroups(selects, mostSelects).map(some => sql`SELECT ord, id, r FROM ${union(some)}`));
}

/** In groups: SQLite accepts 500 selects in one compound. https://sqlite.org/limits.html#max_compound_select */
const mostSelects = 100;
