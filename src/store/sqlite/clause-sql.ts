import { type Columns, columnsOf, inside, rangeConditions, stringConditions, termConditions } from './conditions.ts';
import type { Clause, ValueClause } from './lower.ts';
import { idSource, rangeSource, type Source, stringSource, termSource, unionOf, updatedSource } from './source.ts';
import { allOf, inGroups, join, raw, sql, type Sql } from './sql.ts';
import { wordsCondition, wordsSource } from './words-table.ts';

/**
 * A condition on a candidate: `c` with `ord`, `id` and `r`. Each part is a search by key, and none is ever null, so
 * that `NOT` is the complement.
 */
export function check(clause: Clause): Sql {
  switch (clause.kind) {
    case 'and':
      return clause.of.length === 0 ? raw('1') : nested(clause.of.map(check), ' AND ');
    case 'or':
      // Not a constant: with a false one SQLite finds no plan by the index that a source names.
      return clause.of.length === 0 ? raw('+c.r < 0') : nested(clause.of.map(check), ' OR ');
    case 'not':
      return sql`NOT ${check(clause.of)}`;
    case 'ids':
      return sql`c.id IN (SELECT value FROM json_each(${JSON.stringify(clause.ids)}))`;
    case 'updated':
      return sql`coalesce((SELECT ${inside(raw('u.last_updated'), clause.at)} FROM resources u WHERE u.r = c.r), 0)`;
    case 'tuple':
      return entries(clause.of);
    case 'words':
      return wordsCondition(clause);
    case 'terms':
    case 'prefix':
    case 'string':
    case 'range':
      return entries([clause]);
    default:
      return clause satisfies never;
  }
}

/** The sources of possible matches, in the type of this number; empty if no index helps (most complements). */
export function sourcesOf(clause: Clause, t: number): readonly Source[] {
  switch (clause.kind) {
    case 'and': {
      const [first] = clause.of.flatMap(part => sourcesOf(part, t));
      return first === undefined ? [] : [{ ...first, exact: false }];
    }
    case 'or':
      return unionOf(clause.of.map(part => sourcesOf(part, t)[0]));
    case 'not':
      return clause.instead === undefined ? [] : sourcesOf(clause.instead, t);
    case 'ids':
      return [idSource(clause.ids, t)];
    case 'updated':
      return [updatedSource(clause.at, t)];
    case 'tuple':
      return clause.of.map(part => ({ ...sourceOf(part), exact: false, distinct: false }));
    case 'words':
      return [wordsSource(clause)];
    case 'terms':
    case 'prefix':
    case 'string':
    case 'range':
      return [sourceOf(clause)];
    default:
      return clause satisfies never;
  }
}

function sourceOf(clause: ValueClause): Source {
  switch (clause.kind) {
    case 'terms':
    case 'prefix':
      return termSource(clause);
    case 'string':
      return stringSource(clause);
    case 'range':
      return rangeSource(clause);
    default:
      return clause satisfies never;
  }
}

/** The conditions on matching entries of a candidate `c`. */
function conditionsOf(clause: ValueClause, entry: Columns): readonly Sql[] {
  switch (clause.kind) {
    case 'terms':
    case 'prefix':
      return [...termConditions(clause, entry.v), sql`${entry.ord} = c.ord`, sql`${entry.id} = c.id`];
    case 'string':
      return [sql`${entry.id} = c.id`, ...stringConditions(clause, entry)];
    case 'range':
      return [sql`${entry.id} = c.id`, ...rangeConditions(clause, entry)];
    default:
      return clause satisfies never;
  }
}

/** A candidate has an entry of each clause, all of the same item. */
function entries(clauses: readonly ValueClause[]): Sql {
  const from: Sql[] = [];
  const conditions: Sql[] = [];
  for (const clause of clauses) {
    const entry = columnsOf(clauses.length === 1 ? 'x' : `x${from.length}`);
    from.push(entry.table[clause.kind]);
    conditions.push(sql`${entry.p} = ${clause.index}`, ...conditionsOf(clause, entry));
    if (from.length > 1) conditions.push(sql`${entry.item} = x0.item`);
  }
  return sql`EXISTS (SELECT 1 FROM ${join(from, ' CROSS JOIN ')} WHERE ${allOf(conditions)})`;
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
