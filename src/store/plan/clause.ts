import type { Phrase } from '../../indexing/words.ts';
import type { Interval } from '../keys/interval.ts';

/**
 * A query resolved to the indexes of one type. `I` is how a driver refers to an index: the plan compares references by
 * identity and reads nothing in them. A closed union: each driver has one `switch` that makes a condition of its
 * database from a clause.
 */
export type Clause<I> =
  /** An `and` of nothing matches all, an `or` of nothing matches none. */
  | { readonly kind: 'and' | 'or'; readonly of: readonly Clause<I>[] }
  /** `instead` has the same matches, and an index finds them: the other values of a parameter with one at most. */
  | { readonly kind: 'not'; readonly of: Clause<I>; readonly instead?: Clause<I> }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** lastUpdated, in milliseconds since 1970 UTC. */
  | { readonly kind: 'updated'; readonly at: Interval }
  | ValueClause<I>
  | WordsClause<I>
  | TupleClause<I>;

/** Some entry of an index has a value. */
export type ValueClause<I> = TermsClause<I> | PrefixClause<I> | StringClause<I> | RangeClause<I>;

/** One of these terms (terms.ts). */
export interface TermsClause<I> {
  readonly kind: 'terms';
  readonly index: I;
  readonly values: readonly string[];
}

/** A term that begins so, behind the one and before the other; with an empty prefix, any term. */
export interface PrefixClause<I> {
  readonly kind: 'prefix';
  readonly index: I;
  readonly prefix: string;
  readonly after?: string;
  readonly before?: string;
}

/** A string; `text` is folded (indexing/normalize.ts) unless it is `exact`. */
export interface StringClause<I> {
  readonly kind: 'string';
  readonly index: I;
  readonly how: 'starts' | 'contains' | 'exact';
  readonly text: string;
}

/** The words of an index have each of these phrases, at least one. */
export interface WordsClause<I> {
  readonly kind: 'words';
  readonly index: I;
  readonly phrases: readonly Phrase[];
}

/** An interval with both ends inside these. */
export interface RangeClause<I> {
  readonly kind: 'range';
  readonly index: I;
  /** The unit of a quantity (terms.ts), else empty. */
  readonly key: string;
  /** Any unit that begins with `key`. */
  readonly prefix: boolean;
  readonly low: Interval;
  readonly high: Interval;
  /** Intervals up to this wide are found by their low end, wider ones apart from them. */
  readonly width: number;
  /** A resource has at most one entry. */
  readonly single: boolean;
}

/** An entry of a composite whose components match these clauses, in order. */
export interface TupleClause<I> {
  readonly kind: 'tuple';
  readonly index: I;
  readonly of: readonly ValueClause<I>[];
}

/** The clause that matches all, and the one that matches none. */
export const all: Clause<never> = { kind: 'and', of: [] };
export const none: Clause<never> = { kind: 'or', of: [] };

export function isAll(clause: Clause<unknown>): boolean {
  return clause.kind === 'and' && clause.of.length === 0;
}

export function isNone(clause: Clause<unknown>): boolean {
  return clause.kind === 'or' && clause.of.length === 0;
}

/** The clauses that must all match. */
export function partsOf<I>(clause: Clause<I>): readonly Clause<I>[] {
  return clause.kind === 'and' ? clause.of : [clause];
}
