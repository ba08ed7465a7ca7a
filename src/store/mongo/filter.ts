import type { Filter } from 'mongodb';
import { everything, intersect, type Interval } from '../interval.ts';
import type { Clause, RangeClause } from './clause.ts';
import { anyOf, beginsWith, ends, escaped, inOrder } from './conditions.ts';
import type { ResourceDocument } from './layout.ts';
import { exactTerm, updatedField } from './names.ts';
import { tupleCondition, tupleSource } from './tuple.ts';

type DocumentFilter = Filter<ResourceDocument>;

/** A clause as filters that must all match; `p` is the key of the partition. */
export function filtersOf(clause: Clause, p: string): readonly DocumentFilter[] {
  switch (clause.kind) {
    case 'and':
      return clause.of.flatMap(part => filtersOf(part, p));
    case 'or':
      return [anyFilter(clause.of, p)];
    case 'not':
      return [{ $nor: [allOf(filtersOf(clause.of, p))] }];
    case 'ids':
      // A tombstone has an id, and no text.
      return [{ _id: anyOf(clause.ids.map(id => `${p}/${id}`)), text: { $exists: true } }];
    case 'updated':
      return [{ [`o.${updatedField}`]: inOrder(clause.at) }];
    case 'terms':
      return [anyFilter([clause], p)];
    case 'prefix':
      return [{ t: { $elemMatch: beginsWith(clause.index.start + clause.prefix) } }];
    case 'string':
      return [clause.how === 'exact' ? anyFilter([clause], p) : { s: { $elemMatch: stringCondition(clause) } }];
    case 'range':
      return [rangeFilter(clause)];
    case 'tuple': {
      const source = tupleSource(clause);
      return [...(source === undefined ? [] : filtersOf(source, p)), { c: tupleCondition(clause) }];
    }
    default:
      return clause satisfies never;
  }
}

export function allOf(filters: readonly DocumentFilter[]): DocumentFilter {
  const [first = {}] = filters;
  return filters.length <= 1 ? first : { $and: [...filters] };
}

/** All terms are in one array, so that alternatives of terms are one condition. There is at least one part. */
function anyFilter(parts: readonly Clause[], p: string): DocumentFilter {
  const terms = new Set<string>();
  const filters: DocumentFilter[] = [];
  for (const part of parts) {
    const found = termsIn(part);
    if (found === undefined) filters.push(allOf(filtersOf(part, p)));
    else for (const term of found) terms.add(term);
  }
  if (terms.size > 0) filters.unshift({ t: anyOf([...terms]) });
  const [first = {}] = filters;
  return filters.length === 1 ? first : { $or: filters };
}

/** The terms of which a document must have one; undefined if the clause asks for something else. */
export function termsIn(clause: Clause): readonly string[] | undefined {
  switch (clause.kind) {
    case 'terms':
      return clause.values.map(value => clause.index.start + value);
    case 'string':
      return clause.how === 'exact' ? [clause.index.start + exactTerm(clause.text)] : undefined;
    case 'or': {
      const found = clause.of.map(termsIn);
      return found.includes(undefined) ? undefined : found.flatMap(terms => terms ?? []);
    }
    case 'and':
    case 'not':
    case 'ids':
    case 'updated':
    case 'prefix':
    case 'range':
    case 'tuple':
      return undefined;
    default:
      return clause satisfies never;
  }
}

function stringCondition({ index: { start }, how, text }: Extract<Clause, { kind: 'string' }>): object {
  if (how === 'starts') return beginsWith(start + text);
  return { ...beginsWith(start), $regex: `^${escaped(start)}.*${escaped(text)}`, $options: 's' };
}

/**
 * An index gives entries by key and low end. What bounds the high end of the usual ones bounds their low end too, so that they
 * are apart from wide ones; and no entry begins behind its end.
 */
function rangeFilter({ index: { intervals, keys }, key, prefix, width, low, high }: RangeClause): DocumentFilter {
  const [narrowKey, wideKey] = [keys.narrow + key, keys.wide + key];
  const entry = (k: unknown, lo: Interval): DocumentFilter => ({
    [intervals]: { $elemMatch: { k, ...ends(lo, high) } },
  });
  const atEnd = intersect(low, { ...high, min: -Infinity, minOpen: false });
  if (!prefix && high.min === -Infinity) return entry({ $in: [narrowKey, wideKey] }, atEnd);
  const begin = (text: string): unknown => (prefix ? beginsWith(text) : text);
  const narrow = intersect(atEnd, { ...everything, min: high.min - width, minOpen: high.minOpen });
  return { $or: [entry(begin(narrowKey), narrow), entry(begin(wideKey), atEnd)] };
}
