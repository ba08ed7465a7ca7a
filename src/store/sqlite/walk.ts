import type { Interval } from '../keys/interval.ts';
import { isFull } from '../port/pages.ts';
import type { Segment } from './axis-bounds.ts';
import { bounds } from './conditions.ts';
import { foundRow, type FoundRow, withTexts } from './found.ts';
import type { Database, Row } from './open.ts';
import { type After, type Axis, behind, type Key, keyValue, orderBy } from './order.ts';
import { missingLast, missingOrd, missingText, missingTextLast } from './rows.ts';
import { hasMore } from './source.ts';
import { allOf, join, limit, raw, sql, type Sql } from './sql.ts';

export interface Walk {
  readonly arms: readonly Arm[];
  readonly axis: Axis;
  readonly keys: readonly Key[];
  readonly after: After | undefined;
  readonly checks: readonly Sql[];
  readonly segment: Exclude<Segment, { kind: 'remainder' }>;
  readonly want: number;
  /** Maximum number of rows to visit; undefined for all. */
  readonly cap: number | undefined;
  readonly ticks: readonly Sql[];
}

/**
 * Walks along one segment until enough is found, merging the arms. Undefined if the cap was reached before: the found
 * rows may then not be the first ones.
 */
export function walkArms(database: Database, walk: Walk): readonly FoundRow[] | undefined {
  const place = placeOf(walk);
  if (place === undefined) return [];
  const [only, ...others] = walk.arms;
  if (only === undefined) return [];
  const cap = walk.cap === undefined ? undefined : Math.ceil(walk.cap / walk.arms.length);
  if (others.length === 0) {
    const rows = database
      .page(statement(walk, only, place, cap, true), walk.want)
      .map(row => foundRow(row, walk.keys.length, row, 2 + walk.keys.length));
    const isEnough = isFull(rows, walk.want);
    return !isEnough && isCut(database, walk, only, place, cap, rows.length) ? undefined : rows;
  }
  const found: Row[] = [];
  for (const arm of walk.arms) {
    const rows = database.query(statement(walk, arm, place, cap, false));
    if (isCut(database, walk, arm, place, cap, rows.length)) return undefined;
    found.push(...rows);
  }
  return withTexts(database, merged(found, walk));
}

/** Whether the cap ended a walk before it found enough. */
function isCut(database: Database, walk: Walk, arm: Arm, place: Sql, cap: number | undefined, found: number): boolean {
  if (cap === undefined || found >= walk.want) return false;
  return hasMore(database, sql`SELECT 1 FROM ${arm.from} WHERE ${arm.where} AND ${place}`, cap - 1);
}

function statement(walk: Walk, arm: Arm, place: Sql, cap: number | undefined, texts: boolean): Sql {
  const { axis, keys, checks } = walk;
  const values = keys.map((key, at) => (at === 0 ? axis.column : keyValue(key)));
  const [only] = keys;
  const order = keys.length === 1 && only?.by === 'text' ? orderOfTexts(only) : orderBy(values, keys);
  const columns = join([raw('c.id'), raw('c.r'), ...values], ', ');
  const after = walk.after !== undefined && keys.length > 1 ? [behind(axisValues(walk, values), keys, walk.after)] : [];
  const conditions = [...walk.ticks, ...after, ...checks];
  const select = texts ? sql`SELECT ${columns}, u.version, u.last_updated, u.owners, u.text` : sql`SELECT ${columns}`;
  const resources = raw(texts ? 'CROSS JOIN resources u ON u.r = c.r' : '');
  if (cap === undefined)
    return sql`${select} FROM ${arm.from} ${resources}
      WHERE ${arm.where} AND ${allOf([place, ...conditions])} ORDER BY ${order} ${limit(walk.want)}`;
  const inner = join([...new Set(['c.ord', 'c.id', 'c.r', axis.column.text])].map(raw), ', ');
  return sql`${select} FROM (
      SELECT ${inner} FROM ${arm.from} WHERE ${arm.where} AND ${place} ORDER BY ${order} ${limit(cap)}
    ) c ${resources} WHERE ${allOf(conditions)} ${limit(walk.want)}`;
}

/**
 * The order of the key of the table, so that SQLite sorts nothing: the text between value and id is always the same.
 */
function orderOfTexts({ descending }: Key): Sql {
  return join(
    ['c.folded', 'c.text', 'c.id'].map(column => raw(`${column} ${descending ? 'DESC' : 'ASC'}`)),
    ', ',
  );
}

/** Missing values are stored first, though they are sorted last. */
function axisValues({ segment, axis }: Walk, values: readonly Sql[]): readonly Sql[] {
  const last = axis.key.by === 'text' ? missingTextLast : missingLast;
  return segment.kind === 'missing' ? [sql`${last}`, ...values.slice(1)] : values;
}

/** The remaining range of a segment of the axis after the position; undefined if there is none. */
function placeOf(walk: Walk): Sql | undefined {
  const { segment, axis, keys, after } = walk;
  const { column, key } = axis;
  if (key.by === 'text') return textPlaceOf(walk);
  const id = after?.id ?? '';
  const at = after?.keys[0];
  const isMissing = !key.descending && key.p !== 0 && at === missingLast;
  if (segment.kind === 'missing') {
    const same = sql`${column} = ${missingOrd}`;
    return isMissing && keys.length === 1 ? sql`${same} AND c.id > ${id}` : same;
  }
  if (isMissing) return undefined;
  if (at === undefined) return allOf(bounds(column, segment.at));
  const than = raw(key.descending ? (keys.length > 1 ? '<=' : '<') : keys.length > 1 ? '>=' : '>');
  if (typeof at === 'string') return sql`${column} ${than} ${at}`;
  const { min, minOpen, max, maxOpen } = segment.at;
  if (key.descending ? at < min : at > max) return undefined;
  const isBefore = key.descending ? at > max || (at === max && maxOpen) : at < min || (at === min && minOpen);
  if (isBefore) return allOf(bounds(column, segment.at));
  const other: Interval = key.descending
    ? { ...segment.at, max: Infinity, maxOpen: false }
    : { ...segment.at, min: -Infinity, minOpen: false };
  const position = keys.length > 1 ? sql`${column} ${than} ${at}` : sql`(${column}, c.id) ${than} (${at}, ${id})`;
  return allOf([position, ...bounds(column, other)]);
}

/** The place in a sort index: no clause bounds it. */
function textPlaceOf({ segment, axis: { column, key }, keys, after }: Walk): Sql | undefined {
  const at = after?.keys[0];
  const isMissing = !key.descending && at === missingTextLast;
  if (segment.kind === 'missing') {
    const same = sql`${column} = ${missingText}`;
    return isMissing && keys.length === 1 ? sql`${same} AND c.id > ${after?.id ?? ''}` : same;
  }
  if (isMissing) return undefined;
  if (at === undefined) return key.descending ? raw('1') : sql`${column} > ${missingText}`;
  if (keys.length > 1) return sql`${column} ${raw(key.descending ? '<=' : '>=')} ${at}`;
  return sql`(${column}, c.text, c.id) ${raw(key.descending ? '<' : '>')} (${at}, '', ${after?.id ?? ''})`;
}

function merged(rows: readonly Row[], { keys, want }: Walk): readonly Row[] {
  const directions = [...keys, keys.at(-1)].map(key => (key?.descending === true ? -1 : 1));
  const compare = (a: Row, b: Row): number => {
    for (const [at, direction] of directions.entries()) {
      const [left, right] = at < keys.length ? [a[at + 2], b[at + 2]] : [a[0], b[0]];
      if (left !== right) return (left ?? 0) < (right ?? 0) ? -direction : direction;
    }
    return 0;
  };
  const sorted = rows.toSorted(compare);
  return sorted.filter((row, at) => row[1] !== sorted[at - 1]?.[1]).slice(0, want);
}

/** Rows in the order of an axis: those of a term, or of the whole type. */
export interface Arm {
  readonly from: Sql;
  readonly where: Sql;
}

export const armOfType = ({ from, where }: Axis): Arm => ({ from, where });

export const armOfTerm = (index: number, term: string): Arm => ({
  from: terms,
  where: sql`c.p = ${index} AND c.v = ${term}`,
});

const terms = raw('terms c');

/** The terms that some resource has. */
export function termsInUse(database: Database, index: number, values: readonly string[]): readonly string[] {
  if (values.length === 1) return values;
  const asked = values.flatMap(value => [index, value]);
  const found = new Set(database.all(statementFor(values.length), asked).map(([at]) => at));
  return values.filter((_, at) => found.has(at));
}

/** The statements are kept by their number of terms. */
const statements: string[] = [];

const statementFor = (count: number): string =>
  (statements[count] ??= Array.from(
    { length: count },
    (_, at) => `SELECT ${at} FROM (SELECT 1 FROM terms c WHERE c.p = ? AND c.v = ? LIMIT 1)`,
  ).join(' UNION ALL '));
