import type { Clause, ValueClause } from './clause.ts';
import { allOf, inGroups, join, raw, type Sql, sql } from './sql.ts';
import { inside, rangeConditions, stringConditions, termConditions } from './conditions.ts';
import { idSource, rangeSource, type Source, stringSource, termSource, unionOf, updatedSource } from './source.ts';
import { wordsCondition, wordsSource } from './words-table.ts';

/** A clause as SQL; each form is made when it is needed. */
interface ClauseSql {
  /**
   * A condition on a candidate: `c` with `ord`, `id` and `r`. Each part is a search by key, and none is ever null, so
   * that `NOT` is the complement.
   */
  check(): Sql;
  /** The sources of possible matches, in the type of this number; empty if no index helps (a complement). */
  sources(t: number): readonly Source[];
}

export function check(clause: Clause): Sql {
  return sqlOf(clause).check();
}

export function sourcesOf(clause: Clause, t: number): readonly Source[] {
  return sqlOf(clause).sources(t);
}

function sqlOf(clause: Clause): ClauseSql {
  switch (clause.kind) {
    case 'and':
      return {
        check: () => (clause.of.length === 0 ? raw('1') : nested(clause.of.map(check), ' AND ')),
        sources(t) {
          const [first] = clause.of.flatMap(part => sourcesOf(part, t));
          return first === undefined ? [] : [{ ...first, exact: false }];
        },
      };
    case 'or':
      return {
        // Not a constant: with a false one SQLite finds no plan by the index that a source names.
        check: () => (clause.of.length === 0 ? raw('+c.r < 0') : nested(clause.of.map(check), ' OR ')),
        sources: t => unionOf(clause.of.map(part => sourcesOf(part, t)[0])),
      };
    case 'not':
      return { check: () => sql`NOT ${check(clause.of)}`, sources: () => [] };
    case 'ids':
      return {
        check: () => sql`c.id IN (SELECT value FROM json_each(${JSON.stringify(clause.ids)}))`,
        sources: t => [idSource(clause.ids, t)],
      };
    case 'updated':
      return {
        check: () =>
          sql`coalesce((SELECT ${inside(raw('u.last_updated'), clause.at)} FROM resources u WHERE u.r = c.r), 0)`,
        sources: t => [updatedSource(clause.at, t)],
      };
    case 'tuple':
      return {
        check: () => entries(clause.of),
        sources: () => clause.of.map(part => ({ ...sqlOfValue(part).source(), exact: false, distinct: false })),
      };
    case 'words':
      return { check: () => wordsCondition(clause), sources: () => [wordsSource(clause)] };
    case 'terms':
    case 'prefix':
    case 'string':
    case 'range':
      return { check: () => entries([clause]), sources: () => [sqlOfValue(clause).source()] };
    default:
      return clause satisfies never;
  }
}

/** The entries of one value. */
interface ValueSql {
  /** Their table, under a name, with the index that has them by resource. */
  readonly table: (name: string) => Sql;
  /** The conditions on matching entries of a candidate `c`. */
  readonly conditions: (column: (name: string) => Sql) => readonly Sql[];
  readonly source: () => Source;
}

function sqlOfValue(clause: ValueClause): ValueSql {
  switch (clause.kind) {
    case 'terms':
    case 'prefix':
      return {
        table: name => raw(`terms ${name}`),
        conditions: column => [...termConditions(clause, column('v')), sql`${column('ord')} = c.ord`, ofRecord(column)],
        source: () => termSource(clause),
      };
    case 'string':
      return {
        table: name => raw(`strings ${name} INDEXED BY strings_id`),
        conditions: column => [ofRecord(column), ...stringConditions(clause, column)],
        source: () => stringSource(clause),
      };
    case 'range':
      return {
        table: name => raw(`ranges ${name} INDEXED BY ranges_id`),
        conditions: column => [ofRecord(column), ...rangeConditions(clause, column)],
        source: () => rangeSource(clause),
      };
    default:
      return clause satisfies never;
  }
}

function ofRecord(column: (name: string) => Sql): Sql {
  return sql`${column('id')} = c.id`;
}

/** A candidate has an entry of each clause, all of the same item. */
function entries(clauses: readonly ValueClause[]): Sql {
  const tables: Sql[] = [];
  const conditions: Sql[] = [];
  for (const [at, clause] of clauses.entries()) {
    const name = clauses.length === 1 ? 'x' : `x${at}`;
    const column = (text: string): Sql => raw(`${name}.${text}`);
    const value = sqlOfValue(clause);
    tables.push(value.table(name));
    conditions.push(sql`${column('p')} = ${clause.index}`, ...value.conditions(column));
    if (at > 0) conditions.push(raw(`${name}.item = x0.item`));
  }
  return sql`EXISTS (SELECT 1 FROM ${join(tables, ' CROSS JOIN ')} WHERE ${allOf(conditions)})`;
}

/** In groups: SQLite accepts no expression deeper than 1,000. https://sqlite.org/limits.html#max_expr_depth */
function nested(parts: readonly Sql[], operator: ' AND ' | ' OR '): Sql {
  if (parts.length <= mostInRow) return sql`(${join(parts, operator)})`;
  return nested(
    inGroups(parts, mostInRow).map(some => nested(some, operator)),
    operator,
  );
}

const mostInRow = 100;
