import type { Filter } from 'mongodb';
import { foldString } from '../../indexing/normalize.ts';
import { writtenPhrase } from '../../indexing/words.ts';
import { everything, intersect, type Interval } from '../keys/interval.ts';
import { anyUnit, inAnySystem, isCanonicalKey, wordTerm } from '../keys/terms.ts';
import { anyOf, beginsWith, ends, escaped, inOrder, termsBetween } from './conditions.ts';
import type { ResourceDocument } from './layout.ts';
import { type Clause, type RangeClause, type TupleClause, underLead, type ValueClause } from './lower.ts';
import { exactTerm, updatedField } from './names.ts';

type DocumentFilter = Filter<ResourceDocument>;

/** The condition of a clause in MongoDB. */
export interface Condition {
  /** All must match. */
  readonly filters: readonly DocumentFilter[];
  /**
   * How matches are found: a term that each of them has, another index if they may be few, or no index, so that the
   * condition is only checked on documents that others find.
   */
  readonly by: 'term' | 'value' | 'none';
  /** The terms; a document must have at least one; undefined if the clause needs something else. */
  readonly terms?: readonly string[];
}

/** A clause as a condition on documents; `p` is the key of the partition. */
export function conditionOf(clause: Clause, p: string): Condition {
  switch (clause.kind) {
    case 'and': {
      const of = clause.of.map(part => conditionOf(part, p));
      const by = (['value', 'term'] as const).find(index => of.some(part => part.by === index)) ?? 'none';
      return { filters: of.flatMap(part => part.filters), by };
    }
    case 'or':
      return anyCondition(clause.of.map(part => conditionOf(part, p)));
    case 'not': {
      const { filters, terms } = conditionOf(clause.of, p);
      // Beside another condition, the complement of many terms is no range of an index that the server tries.
      const none = terms === undefined ? allOf(filters) : { t: anyOf(terms), p: { $exists: true } };
      return { filters: [{ $nor: [none] }], by: 'none' };
    }
    case 'ids':
      // A tombstone has an id, and no text.
      return {
        filters: [{ _id: anyOf(clause.ids.map(id => `${p}/${id}`)), text: { $exists: true } }],
        by: 'value',
      };
    case 'updated':
      return { filters: [{ [`o.${updatedField}`]: inOrder(clause.at) }], by: 'value' };
    case 'terms':
      return termsCondition(clause.values.map(value => clause.index.start + value));
    case 'prefix':
      return {
        filters: [{ t: { $elemMatch: termsBetween(clause.index.start, clause) } }],
        by: clause.prefix === '' ? 'none' : 'value',
      };
    case 'string':
      if (clause.how === 'exact') return termsCondition([clause.index.start + exactTerm(clause.text)]);
      return {
        filters: [{ s: { $elemMatch: stringCondition(clause) } }],
        by: clause.text === '' ? 'none' : 'value',
      };
    case 'words':
      return wordsCondition(clause);
    case 'range':
      return { filters: [rangeFilter(clause)], by: isBounded(clause.low) || isBounded(clause.high) ? 'value' : 'none' };
    case 'tuple': {
      const source = tupleSource(clause);
      const found = source === undefined ? undefined : conditionOf(source, p);
      return { filters: [...(found?.filters ?? []), { c: tupleCondition(clause) }], by: found?.by ?? 'none' };
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
function anyCondition(parts: readonly Condition[]): Condition {
  const others = parts.filter(part => part.terms === undefined);
  const terms = [...new Set(parts.flatMap(part => part.terms ?? []))];
  if (others.length === 0) return termsCondition(terms);
  const byTerms = terms.length === 0 ? [] : [{ t: anyOf(terms) }];
  const filters = [...byTerms, ...others.map(part => allOf(part.filters))];
  const by = parts.every(part => part.by !== 'none') ? 'value' : 'none';
  return { filters: filters.length === 1 ? filters : [{ $or: filters }], by };
}

function termsCondition(terms: readonly string[]): Condition {
  return { filters: [{ t: anyOf(terms) }], by: 'term', terms };
}

function isBounded({ min, max }: Interval): boolean {
  return min !== -Infinity || max !== Infinity;
}

function stringCondition({ index: { start }, how, text }: Extract<Clause, { kind: 'string' }>): object {
  if (how === 'starts') return beginsWith(start + text);
  return { ...beginsWith(start), $regex: `^${escaped(start)}.*${escaped(text)}`, $options: 's' };
}

/** Each word is a term; the sequence of several is compared with the words of the document. */
function wordsCondition({ index: { start }, phrases }: Extract<Clause, { kind: 'words' }>): Condition {
  const terms: string[] = [];
  const others: DocumentFilter[] = [];
  for (const phrase of phrases) {
    const words = phrase.text.split(' ').map(word => start + wordTerm(word));
    const last = phrase.isPrefix ? words.pop() : undefined;
    terms.push(...words);
    if (last !== undefined) others.push({ t: { $elemMatch: beginsWith(last) } });
    if (!phrase.text.includes(' ')) continue;
    const pattern = `^${escaped(start)}.*${escaped(writtenPhrase(phrase))}`;
    others.push({ w: { $elemMatch: { $regex: pattern, $options: 's' } } });
  }
  const [only, ...more] = new Set(terms);
  if (only !== undefined && more.length === 0 && others.length === 0) return termsCondition([only]);
  const all = [...new Set(terms)].map((term): DocumentFilter => ({ t: term }));
  return { filters: [...all, ...others], by: terms.length > 0 ? 'term' : 'value' };
}

/**
 * An index returns entries by key and low end. A bound of the high end of narrow ones bounds their low end too, so that
 * wide ones are separate; and no entry begins after its end.
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

/** The condition that a tuple has the values of all components. */
function tupleCondition({ index, of }: TupleClause): object {
  const parts = of.map((part, at) => componentCondition(part, `c${at}`));
  return { $elemMatch: Object.assign({ k: index.start }, ...parts) as object }; // Object.assign returns any
}

function componentCondition(clause: ValueClause, name: string): object {
  switch (clause.kind) {
    case 'terms':
      return { [`${name}.t`]: anyOf(clause.values) };
    case 'prefix':
      return { [`${name}.t`]: clause.prefix === '' ? { $exists: true } : { $elemMatch: beginsWith(clause.prefix) } };
    case 'string':
      return { [`${name}.s`]: { $elemMatch: componentString(clause) } };
    case 'range': {
      const { key, prefix, low, high } = clause;
      return { [`${name}.n`]: { $elemMatch: { k: prefix ? beginsWith(key) : key, ...ends(low, high) } } };
    }
    default:
      return clause satisfies never;
  }
}

function componentString({ how, text }: Extract<ValueClause, { kind: 'string' }>): object {
  switch (how) {
    case 'exact':
      return { text };
    case 'starts':
      return { folded: beginsWith(text) };
    case 'contains':
      return { folded: { $regex: escaped(text) } };
    default:
      return how satisfies never;
  }
}

/**
 * The index terms that find tuples (entries.ts): for a token in the first component the code, whatever its system,
 * before the value of the second, and for a position nothing before its longitude. They find every match, and more.
 * Undefined if no index helps.
 */
function tupleSource({ index, of: [first, second] }: TupleClause): Clause | undefined {
  const leads = index.noLead ? [''] : first?.kind === 'terms' ? first.values.map(inAnySystem) : [];
  const found = second && sourceClause(second);
  if (found === undefined || leads.length === 0) return undefined;
  const parts: ValueClause[] = [];
  for (const lead of leads) {
    if (lead === undefined) return undefined;
    parts.push({ ...found, index: underLead(index, lead, found.index) });
  }
  return { kind: 'or', of: parts };
}

function sourceClause(clause: ValueClause): ValueClause | undefined {
  switch (clause.kind) {
    case 'terms':
      return clause;
    case 'prefix':
      return undefined;
    case 'string':
      return clause.how === 'exact' ? { ...clause, how: 'starts', text: foldString(clause.text) } : clause;
    case 'range':
      return { ...clause, key: clause.key === '' || isCanonicalKey(clause.key) ? clause.key : anyUnit, prefix: false };
    default:
      return clause satisfies never;
  }
}
