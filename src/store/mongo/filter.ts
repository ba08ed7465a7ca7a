import type { Filter } from 'mongodb';
import { afterPrefix } from '../after-prefix.ts';
import { everything, intersect, type Interval } from '../interval.ts';
import type { Clause, RangeClause, StringClause } from './clause.ts';
import type { ResourceDocument } from './layout.ts';
import { updatedField } from './names.ts';
import { behindOrdered, firstValue, orderedText } from './order-key.ts';

type DocumentFilter = Filter<ResourceDocument>;

/** A clause as a filter. Of `or` there is at least one part, since the server takes no less. */
export function filterOf(clause: Clause): DocumentFilter {
  switch (clause.kind) {
    case 'and':
      return allOf(clause.of.map(filterOf));
    case 'or':
      return { $or: clause.of.map(filterOf) };
    case 'not':
      return { $nor: [filterOf(clause.of)] };
    case 'ids':
      // A tombstone has an id, and no text.
      return { _id: anyOf(clause.ids), text: { $exists: true } };
    case 'updated':
      return { [`o.${updatedField}`]: inOrder(clause.at) };
    case 'terms':
      return { t: anyOf(clause.terms) };
    case 'string':
      return { s: { $elemMatch: stringCondition(clause) } };
    case 'range':
      return rangeFilter(clause);
    case 'check':
      return clause.filter;
    default:
      return clause satisfies never;
  }
}

export function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [first = {}] = filters;
  return filters.length <= 1 ? first : { $and: [...filters] };
}

export function anyOf(values: readonly string[]): string | { $in: string[] } {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : { $in: [...values] };
}

/** The condition of texts that begin so. The server compares texts by code point. */
export function beginsWith(prefix: string): { $gte: string; $lt?: string } {
  const end = afterPrefix(prefix);
  return { $gte: prefix, ...(end === undefined ? {} : { $lt: end }) };
}

function stringCondition({ start, contains }: StringClause): object {
  if (contains === undefined) return beginsWith(start);
  return { ...beginsWith(start), $regex: `^${escaped(start)}.*${escaped(contains)}`, $options: 's' };
}

export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/#-]/g, String.raw`\$&`);
}

/**
 * An index gives entries by key and low end. What bounds the high end of the usual ones bounds their low end too, so that they
 * are apart from wide ones; and no entry begins behind its end.
 */
function rangeFilter(clause: RangeClause): DocumentFilter {
  const { field, keys, prefix, width, low, high } = clause;
  const entry = (k: unknown, lo: Interval): DocumentFilter => ({ [field]: { $elemMatch: { k, ...ends(lo, high) } } });
  const atEnd = intersect(low, { ...high, min: -Infinity, minOpen: false });
  if (!prefix && high.min === -Infinity) return entry({ $in: [keys.narrow, keys.wide] }, atEnd);
  const key = (text: string): unknown => (prefix ? beginsWith(text) : text);
  const narrow = intersect(atEnd, { ...everything, min: high.min - width, minOpen: high.minOpen });
  return { $or: [entry(key(keys.narrow), narrow), entry(key(keys.wide), atEnd)] };
}

/** What is asked of the two ends of an entry. */
export function ends(low: Interval, high: Interval): object {
  const [lo, hi] = [inside(low), inside(high)];
  return { ...(lo === undefined ? {} : { lo }), ...(hi === undefined ? {} : { hi }) };
}

function inside({ min, minOpen, max, maxOpen }: Interval): object | undefined {
  if (min === -Infinity && max === Infinity) return undefined;
  return {
    ...(min === -Infinity ? {} : { [minOpen ? '$gt' : '$gte']: min }),
    ...(max === Infinity ? {} : { [maxOpen ? '$lt' : '$lte']: max }),
  };
}

/** Order keys (order-key.ts) whose number is inside an interval; all with a number where it is without ends. */
export function inOrder(at: Interval): { $gte: string; $lt?: string } {
  const { from, to } = orderBounds(at);
  return { $gte: from, ...(to === undefined ? {} : { $lt: to }) };
}

/** Order keys whose number is inside an interval, as [from, to). */
export function orderBounds({ min, minOpen, max, maxOpen }: Interval): { from: string; to: string | undefined } {
  return {
    from: min === -Infinity ? firstValue : minOpen ? behindOrdered(near(min)) : orderedText(near(min)),
    to: max === Infinity ? undefined : maxOpen ? orderedText(near(max)) : behindOrdered(near(max)),
  };
}

/** No number is further out than what a Date can hold. */
const near = (value: number): number => Math.max(-farOut, Math.min(farOut, value));

const farOut = 9e15;
