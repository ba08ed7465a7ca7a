import { BSON, type Document } from 'mongodb';

/** A value of a shard key that is compared with bounds: others are not narrowed. */
type Value = string | number;

/** The values of a field between two ends; without an end, all beyond. */
export interface Interval {
  readonly from?: Value;
  readonly to?: Value;
}

/** The values of a field that a filter leaves; undefined for any. */
export type Bounds = readonly Interval[] | undefined;

/** The one value of an interval, if it is a point. */
export const pointOf = ({ from, to }: Interval): Value | undefined => (from === to ? from : undefined);

/**
 * What a filter leaves of each field of a shard key, in the order of the key, as a router finds it: it plans the query
 * as if the shard key were the only index. Alternatives count only where no condition beside them has the first field.
 * https://www.mongodb.com/docs/v7.0/core/sharded-cluster-query-router/#targeted-operations-vs.-broadcast-operations
 */
export function keyBounds(filter: Document, fields: readonly string[]): readonly Bounds[] {
  const beside = fields.map(field => boundsOf(filter, field));
  if (beside[0] !== undefined) return beside;
  const alternatives = filter['$or'] as readonly Document[] | undefined;
  if (alternatives === undefined) return beside;
  const each = alternatives.map(one => keyBounds(one, fields));
  return fields.map((_, at) => {
    const all = each.map(bounds => bounds[at]);
    return all.every(bounds => bounds !== undefined) ? all.flat() : undefined;
  });
}

/** What the conditions leave that all must hold. */
function boundsOf(filter: Document, field: string): Bounds {
  let found: Bounds;
  for (const [name, condition] of Object.entries(filter)) {
    if (name === field) found = both(found, conditionBounds(condition));
    const parts = condition as readonly Document[];
    if (name === '$and' || (name === '$or' && parts.length === 1))
      for (const part of parts) found = both(found, boundsOf(part, field));
  }
  return found;
}

function conditionBounds(condition: unknown): Bounds {
  const value = valueOf(condition);
  if (value !== undefined) return [{ from: value, to: value }];
  if (typeof condition !== 'object' || condition === null) return undefined;
  let found: Bounds;
  for (const [operator, operand] of Object.entries(condition)) {
    const end = valueOf(operand);
    if (operator === '$eq') found = both(found, conditionBounds(operand));
    if (operator === '$in') {
      const all = (operand as readonly unknown[]).map(conditionBounds);
      if (all.every(bounds => bounds !== undefined)) found = both(found, all.flat());
    }
    if ((operator === '$gt' || operator === '$gte') && end !== undefined) found = both(found, [{ from: end }]);
    if ((operator === '$lt' || operator === '$lte') && end !== undefined) found = both(found, [{ to: end }]);
  }
  return found;
}

/** A value that can be compared. */
export function valueOf(value: unknown): Value | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return value instanceof BSON.Int32 || value instanceof BSON.Double || value instanceof BSON.Long
    ? Number(value)
    : undefined;
}

function both(some: Bounds, others: Bounds): Bounds {
  if (some === undefined || others === undefined) return some ?? others;
  return some.flatMap(one =>
    others.flatMap(other => {
      const from = [one.from, other.from].filter(end => end !== undefined).sort(compare).at(-1); // prettier-ignore
      const [to] = [one.to, other.to].filter(end => end !== undefined).sort(compare);
      if (from !== undefined && to !== undefined && compare(from, to) > 0) return [];
      return [{ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
    }),
  );
}

/** Numbers come before texts. */
function compare(a: Value, b: Value): number {
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
