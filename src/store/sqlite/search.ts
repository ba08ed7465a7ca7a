import { isNone, partsOf } from '../plan/clause.ts';
import { isFull } from '../port/pages.ts';
import { type AxisBounds, boundsOnAxis, boundsWalk, segments } from './axis-bounds.ts';
import { type Budget, budgetFor, isLong } from './budget.ts';
import { inside } from './conditions.ts';
import { foundRow, type FoundRow, ticksOf } from './found.ts';
import type { Clause, LoweredSearch } from './lower.ts';
import type { Database } from './open.ts';
import { type Axis, axisOf, behind, byId, type Key, keyValue, orderBy } from './order.ts';
import { type Candidate, checkOfMany, few, lookUps, type Plan, smallest } from './smallest.ts';
import { candidates, countUpTo, longArm, resourcesOf, type Source, type SourceArm, typeSource } from './source.ts';
import { allOf, join, limit, raw, sql, type Sql } from './sql.ts';
import { type Arm, armOfTerm, armOfType, termsInUse, walkArms } from './walk.ts';

/**
 * Finds a page and, if there are more, one resource beyond it. Undefined if it exceeds the budget, never a part of a
 * page.
 */
export function pageWithin(database: Database, search: LoweredSearch, budget: Budget): readonly FoundRow[] | undefined {
  if (isNone(search.clause)) return [];
  const clauses = partsOf(search.clause);
  if (isLong(search.clause, budget)) return undefined;
  const plan: Plan = {
    database,
    search,
    budget: budgetFor(budget, search.clause),
    clauses,
    want: search.limit + 1,
  };
  return planned(plan);
}

function planned(plan: Plan): readonly FoundRow[] | undefined {
  const { search, budget } = plan;
  const axis = axisOf(search.keys[0] ?? byId(false), search.t);
  const direct = axis === undefined ? undefined : directPage(plan, axis);
  if (direct !== undefined) return direct;

  const best = smallest(plan);
  if (
    best.clause !== undefined &&
    best.count <= Math.min(few, budget.probe) &&
    axis !== undefined &&
    mayHaveRemainder(plan, axis, best.clause)
  )
    return collect(plan, best);
  const route = axis === undefined ? undefined : routeFor(plan, axis, best.clause);
  if (route !== undefined && budget.rows === undefined && best.count > muchMore * walkCost(plan, best))
    return walk(plan, route);
  if (best.count <= budget.probe)
    return best.clause !== undefined && route?.by !== best.clause
      ? collect(plan, best)
      : boundedWalk(plan, best, route);
  if (budget.rows !== undefined)
    return route === undefined || search.keys.length > 1 ? undefined : walk(plan, route, budget.rows);
  if (route === undefined) return collect(plan, best);
  const others = plan.clauses.filter(clause => clause !== best.clause);
  const checks = plan.clauses.filter(clause => clause !== route.by);
  const collecting = best.count * lookUps(others);
  return collecting < walkCost(plan, best) * lookUps(checks) ? collect(plan, best) : walk(plan, route);
}

/**
 * A walk may find its first matches late: it is used if collecting would cost this many times the cost of a walk
 * through evenly distributed matches.
 */
const muchMore = 20;

function mayHaveRemainder(plan: Plan, axis: Axis, by: Clause): boolean {
  return boundsOf(plan, axis, by).remainder !== undefined;
}

/** A walk along an axis: through the whole type or, for `ord`, through the terms of a clause. */
interface Route {
  readonly axis: Axis;
  readonly by: Clause | undefined;
  readonly bounds: AxisBounds;
}

function routeFor(plan: Plan, axis: Axis, best: Clause | undefined): Route {
  const by = isWalkable(best, axis) ? best : plan.clauses.find(clause => isWalkable(clause, axis));
  return route(plan, axis, by);
}

function boundsOf({ clauses }: Plan, axis: Axis, by: Clause | undefined): AxisBounds {
  return boundsOnAxis(
    axis,
    clauses.filter(clause => clause !== by),
  );
}

function route(plan: Plan, axis: Axis, by: Clause | undefined, found = boundsOf(plan, axis, by)): Route {
  if (found.remainder === undefined || !isEmpty(plan.database, longArm(found.remainder.clause)))
    return { axis, by, bounds: found };
  return { axis, by, bounds: { ...found, remainder: undefined } };
}

/** How far a walk may search for the first matches near a floor. */
const mostNear = 2_000;

/** A page from a walk that matches at nearly each step; undefined if there is none, or it did not fill the page. */
function directPage(plan: Plan, axis: Axis): readonly FoundRow[] | undefined {
  if (plan.search.keys.length > 1) return undefined;
  for (const by of [undefined, ...plan.clauses]) {
    if (by !== undefined && !isWalkable(by, axis)) continue;
    const said = boundsOf(plan, axis, by);
    if (!said.sure) continue;
    const found = route(plan, axis, by, said);
    if (found.bounds.remainder === undefined)
      return walk(plan, found, found.bounds.checks.length === 0 ? undefined : mostNear);
  }
  return undefined;
}

/** Terms are in the order of `ord`; merging many terms would cost more than it saves. */
function isWalkable(clause: Clause | undefined, axis: Axis): boolean {
  return axis.key.by === 'ord' && clause?.kind === 'terms' && clause.values.length <= 16;
}

function isEmpty(database: Database, { range }: SourceArm): boolean {
  return database.query(sql`SELECT 1 FROM (${range} LIMIT 1)`).length === 0;
}

/** The number of candidates that a walk visits until a page is full, if matches are distributed evenly. */
function walkCost({ database, search, want }: Plan, best: Candidate): number {
  return (want * (resourcesOf(database, search.t) + 1)) / (best.count + 1);
}

/**
 * For a clause with m matches a walk visits `want × resources / m` candidates, if these are distributed evenly, or many
 * more: so that reading the m matches is worth it where m² is below the look-ups of `muchMore` such walks.
 */
const worthOfWalk =
  ({ database, search, want }: Plan): ((values: number) => number) =>
  values =>
    Math.sqrt(muchMore * want * resourcesOf(database, search.t) * values);

/** A walk whose candidates are few, as a probe found. */
function boundedWalk(plan: Plan, best: Candidate, route: Route | undefined): readonly FoundRow[] | undefined {
  return route === undefined || (best.clause === undefined && route.by !== undefined)
    ? collect(plan, best)
    : walk(plan, route);
}

function walk(plan: Plan, route: Route, cap?: number): readonly FoundRow[] | undefined {
  const { database, search, want } = plan;
  const arms = armsOf(database, route);
  const ticks = ticksOf(database, plan.budget);
  const where = { database, t: search.t, worth: worthOfWalk(plan), most: plan.budget.probe, tick: ticks };
  const checks = route.bounds.checks.map(make => make(clause => checkOfMany(clause, where)));
  const rows: FoundRow[] = [];
  traceRoute(plan, route.by, route.axis.key);
  for (const segment of segments(route.axis.key, route.bounds)) {
    if (isFull(rows, want)) break;
    if (segment.kind === 'remainder') {
      const few = fewLong(plan, route);
      if (few !== undefined) {
        const at = inside(keyValue(route.axis.key), segment.at);
        rows.push(...collect({ ...plan, want: want - rows.length }, few, [at]));
        continue;
      }
    }
    const found = walkArms(database, {
      arms,
      axis: route.axis,
      keys: search.keys,
      after: search.after,
      checks,
      segment: segment.kind === 'remainder' ? { kind: 'range', at: segment.at } : segment,
      want: want - rows.length,
      cap,
      ticks,
    });
    if (found === undefined) return undefined;
    rows.push(...found);
  }
  return rows;
}

function armsOf(database: Database, { by, axis }: Route): readonly Arm[] {
  if (by?.kind !== 'terms') return [armOfType(axis)];
  return termsInUse(database, by.index, by.values).map(term => armOfTerm(by.index, term));
}

/**
 * The long intervals that match below the floor of a walk, if they are few: they are then found faster than by the
 * walk.
 */
function fewLong({ database, budget }: Plan, { bounds: { remainder } }: Route): Candidate | undefined {
  if (remainder === undefined) return undefined;
  const { clause } = remainder;
  const source: Source = { arms: [longArm(clause)], exact: true, distinct: clause.single };
  const count = countUpTo(database, source, budget.probe + 1);
  return count > budget.probe ? undefined : { clause, source, count };
}

/** Records how candidates are found: from a clause, along the axis of a key, or by both. */
function traceRoute({ database: { trace }, clauses }: Plan, by: Clause | undefined, key: Key | undefined): void {
  if (trace === undefined) return;
  const isRange = (clause: Clause): boolean => clause === by || (key !== undefined && boundsWalk(key, clause));
  trace.route(
    key !== undefined,
    clauses.flatMap((clause, at) => (isRange(clause) ? [at] : [])),
  );
}

/** Reads all candidates of a source, checks the other clauses, and sorts. */
function collect(plan: Plan, { clause, source: of, count }: Candidate, also: readonly Sql[] = []): readonly FoundRow[] {
  const { search, want } = plan;
  const source = of ?? typeSource(search.t);
  const rest = source.exact ? plan.clauses.filter(other => other !== clause) : plan.clauses;
  const tick = ticksOf(plan.database, plan.budget);
  traceRoute(plan, clause, undefined);
  const worth = (values: number): number => count * values;
  const where = { database: plan.database, t: search.t, worth, most: plan.budget.probe, tick };
  const conditions = allOf([...rest.map(one => checkOfMany(one, where)), ...also]);
  const values = join([firstColumns, ...search.keys.map((key, at) => sql`${keyValue(key)} AS ${keyName(at)}`)], ', ');
  const [arm, ...others] = source.arms;
  if (arm !== undefined && others.length === 0 && search.after === undefined && search.keys.every(isColumn)) {
    const columns = search.keys.map(keyValue);
    const range = candidates(source, tick);
    // In the order of the page: a sorter less than DISTINCT needs.
    const once = source.distinct ? raw('') : sql`GROUP BY ${join([...columns, raw('c.id')], ', ')}`;
    return rowsOf(
      plan,
      sql`SELECT ${values} FROM ${range} c WHERE ${conditions} ${once}
        ORDER BY ${orderBy(columns, search.keys)} ${limit(want)}`,
    );
  }
  const distinct = raw(source.distinct ? '' : 'DISTINCT');
  const names = search.keys.map((_, at) => raw(`c.k${at}`));
  const page = search.after === undefined ? raw('1') : behind(names, search.keys, search.after);
  return rowsOf(
    plan,
    sql`SELECT c.* FROM m c WHERE ${page} ORDER BY ${orderBy(names, search.keys)} ${limit(want)}`,
    sql`WITH m AS MATERIALIZED (SELECT ${distinct} ${values} FROM ${candidates(source, tick)} c WHERE ${conditions}) `,
  );
}

/** The rows `id, r, k0, …` of a select with their records, which are read in its order. */
function rowsOf({ database, search }: Plan, select: Sql, before: Sql = raw('')): readonly FoundRow[] {
  const keys = search.keys.length;
  const rows = database.page(
    sql`${before}SELECT ${columnsFor(keys)}, u.version, u.last_updated, u.owners, u.text FROM (${select}) c
      CROSS JOIN resources u ON u.r = c.r`,
    search.limit + 1,
  );
  return rows.map(row => foundRow(row, keys, row, 2 + keys));
}

const firstColumns = raw('c.id, c.r');
const [keyNames, columnLists]: [Sql[], Sql[]] = [[], []];
const keyName = (at: number): Sql => (keyNames[at] ??= raw(`k${at}`));

/** The columns of a select with so many keys. */
const columnsFor = (keys: number): Sql =>
  (columnLists[keys] ??= raw(['c.id', 'c.r', ...Array.from({ length: keys }, (_, at) => `c.k${at}`)].join(', ')));

/** A key that is in the candidate itself, so that it need not be stored until the sort. */
function isColumn({ by, descending, p }: Key): boolean {
  return by === 'id' || (by === 'ord' && (descending || p === 0));
}
