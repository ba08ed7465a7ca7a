import type { Interval } from '../interval.ts';

/** A query with its names resolved to indexes of one type: plain data, so that a reader worker can take it. */
export type Clause =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Clause[] }
  | { readonly kind: 'not'; readonly of: Clause }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'updated'; readonly at: Interval }
  | ValueClause
  /** All hold with the same item. */
  | { readonly kind: 'tuple'; readonly of: readonly ValueClause[] };

export type ValueClause = TermsClause | StringClause | RangeClause;

/** Has one of these terms; `items`: the index holds components, where a resource may have a term more than once. */
export interface TermsClause {
  readonly kind: 'terms';
  readonly p: number;
  readonly values: readonly string[];
  readonly items: boolean;
}

export interface StringClause {
  readonly kind: 'string';
  readonly p: number;
  readonly how: 'starts' | 'contains' | 'exact';
  readonly text: string;
}

/** An entry with both ends inside; `key` is the unit of a quantity (prefix: keys that begin so). */
export interface RangeClause {
  readonly kind: 'range';
  readonly p: number;
  readonly key: string;
  readonly prefix: boolean;
  readonly low: Interval;
  readonly high: Interval;
  /** Width up to which intervals are found by their low end. */
  readonly width: number;
  /** A resource has at most one entry. */
  readonly single: boolean;
}

/** Matches all; `not` of it, and an `or` of nothing, matches none. */
export const all: Clause = { kind: 'and', of: [] };
export const none: Clause = { kind: 'or', of: [] };
