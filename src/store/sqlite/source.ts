import { anyValue, bounds, rangeConditions, stringConditions } from './check.ts';
import { type Clause, intersect, type RangeClause, type StringClause } from './clause.ts';
import { foldedText } from './lower.ts';
import { allOf, join, raw, type Sql, sql } from './sql.ts';

/** Candidates that an index gives: selects of `ord, id, r`, which together hold every match of a clause. */
export interface Source {
  readonly arms: readonly Sql[];
  /** Every candidate matches the clause. */
  readonly exact: boolean;
  /** No candidate comes twice. */
  readonly distinct: boolean;
}

/** The ways to find what may match a clause; none where no index helps (a complement). */
export function sourcesOf(clause: Clause, t: number): readonly Source[] {
  switch (clause.kind) {
    case 'terms':
      return [termSource(clause)];
    case 'string':
      return [stringSource(clause)];
    case 'range':
      return [rangeSource(clause)];
    case 'tuple':
      return clause.of.flatMap(part =>
        sourcesOf(part, t).map(source => ({ ...source, exact: false, distinct: false })),
      );
    case 'ids':
      return [
        {
          arms: [
            sql`SELECT c.ord, c.id, c.r FROM json_each(${JSON.stringify(clause.ids)}) j CROSS JOIN resources c INDEXED BY resources_key ON c.t = ${t} AND c.id = j.value WHERE c.ord IS NOT NULL`,
          ],
          exact: true,
          distinct: true,
        },
      ];
    case 'updated':
      return [
        {
          arms: [
            sql`SELECT c.ord, c.id, c.r FROM resources c INDEXED BY resources_updated WHERE c.t = ${t} AND c.ord IS NOT NULL AND ${allOf(bounds(raw('c.last_updated'), clause.at))}`,
          ],
          exact: true,
          distinct: true,
        },
      ];
    case 'and': {
      const [first] = clause.of.flatMap(part => sourcesOf(part, t));
      return first === undefined ? [] : [{ ...first, exact: false }];
    }
    case 'or': {
      const parts = clause.of.map(part => sourcesOf(part, t)[0]);
      const found = parts.filter(part => part !== undefined);
      if (found.length < parts.length) return [];
      return [
        {
          arms: found.flatMap(part => part.arms),
          exact: found.every(part => part.exact),
          distinct: parts.length === 0,
        },
      ];
    }
    case 'not':
      return [];
    default:
      return clause satisfies never;
  }
}

/** All resources of a type. */
export function typeSource(t: number): Source {
  return {
    arms: [
      sql`SELECT c.ord, c.id, c.r FROM resources c INDEXED BY resources_ord WHERE c.t = ${t} AND c.ord IS NOT NULL`,
    ],
    exact: true,
    distinct: true,
  };
}

function termSource({ p, values, items }: Extract<Clause, { kind: 'terms' }>): Source {
  return {
    arms:
      values.length === 0
        ? []
        : [sql`SELECT c.ord, c.id, c.r FROM terms c WHERE c.p = ${p} AND c.v ${anyValue(values)}`],
    exact: true,
    distinct: values.length === 1 && !items,
  };
}

function stringSource(clause: StringClause): Source {
  const column = (name: string): Sql => raw(`c.${name}`);
  const conditions =
    clause.how === 'exact'
      ? [sql`c.folded = ${foldedText(clause.text)}`, sql`c.text = ${clause.text}`]
      : stringConditions(clause, column);
  return {
    arms: [sql`SELECT c.ord, c.id, c.r FROM strings c WHERE ${allOf([sql`c.p = ${clause.p}`, ...conditions])}`],
    exact: true,
    distinct: false,
  };
}

/** Short intervals by their low end, which a bound on the high end bounds as well; long ones by the end that is bounded. */
function rangeSource(clause: RangeClause): Source {
  if (clause.prefix) {
    const conditions = rangeConditions(clause, name => raw(`c.${name}`));
    return {
      arms: [sql`SELECT c.ord, c.id, c.r FROM ranges c WHERE ${allOf([sql`c.p = ${clause.p}`, ...conditions])}`],
      exact: true,
      distinct: false,
    };
  }
  const { low, high, width } = clause;
  const short = intersect(low, { ...high, min: high.min - width });
  return {
    arms: [
      sql`SELECT c.ord, c.id, c.r FROM ranges c WHERE c.p = ${clause.p} AND c.k = ${clause.key} AND c.long = 0 AND ${allOf([...bounds(raw('c.low'), short), ...residual(clause, short)])}`,
      longArm(clause),
    ],
    exact: true,
    distinct: clause.single,
  };
}

/** What the bounds that the index uses do not say already. */
function residual({ low, high }: RangeClause, used: { min: number; max: number }): readonly Sql[] {
  const lowRest = low.min === used.min && low.max === used.max ? [] : bounds(raw('+c.low'), low);
  return [...lowRest, ...bounds(raw('+c.high'), high)];
}

/** The long intervals of a clause. */
export function longArm(clause: RangeClause): Sql {
  const key = sql`c.p = ${clause.p} AND c.k = ${clause.key} AND c.long = 1`;
  if (clause.high.min !== -Infinity || clause.high.max !== Infinity)
    return sql`SELECT c.ord, c.id, c.r FROM ranges c INDEXED BY ranges_high WHERE ${key} AND ${allOf([...bounds(raw('c.high'), clause.high), ...bounds(raw('+c.low'), clause.low)])}`;
  return sql`SELECT c.ord, c.id, c.r FROM ranges c WHERE ${key} AND ${allOf(bounds(raw('c.low'), clause.low))}`;
}

/** The arms of a source as one table. */
export function candidates({ arms }: Source): Sql {
  return arms.length === 0 ? raw('(SELECT 0 AS ord, 0 AS id, 0 AS r WHERE 0)') : sql`(${join(arms, ' UNION ALL ')})`;
}
