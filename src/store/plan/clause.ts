import type { Phrase } from '../../indexing/words.ts';
import type { Interval } from '../keys/interval.ts';

/** How many values a clause asks for: what a look at one candidate costs. */
export function valuesIn(clause: Clause<unknown>): number {
  switch (clause.kind) {
    case 'and':
    case 'or':
    case 'tuple':
      return clause.of.reduce((sum, part) => sum + valuesIn(part), 0);
    case 'not':
      return valuesIn(clause.of);
    case 'terms':
      return clause.values.length;
    case 'words':
      return clause.phrases.length * wordCost;
    case 'ids':
    case 'updated':
    case 'prefix':
    case 'string':
    case 'range':
      return 1;
    default:
      return clause satisfies never;
  }
}

/** What the words of one phrase cost, in look-ups of a value: SQLite reads a part of the list of each word. */
const wordCost = 4;

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

/** Visits the indexes of a clause; of a composite the one of its entries. */
export function visitIndexes<I>(clause: Clause<I>, visit: (index: I) => void): void {
  switch (clause.kind) {
    case 'and':
    case 'or':
      for (const part of clause.of) visitIndexes(part, visit);
      return;
    case 'not':
      return visitIndexes(clause.of, visit);
    case 'ids':
    case 'updated':
      return;
    case 'terms':
    case 'prefix':
    case 'string':
    case 'words':
    case 'range':
    case 'tuple':
      return visit(clause.index);
    default:
      return clause satisfies never;
  }
}

/**
 * A clause on one line, for explanations: kinds, indexes and numbers of values, never a value, since the values of a
 * chain are those of records: `(and (terms code 2) (range date from to))`. `nameOf` names an index.
 */
export function printClause<I>(clause: Clause<I>, nameOf: (index: I) => string): string {
  switch (clause.kind) {
    case 'and':
    case 'or':
      return list(
        clause.kind,
        clause.of.map(part => printClause(part, nameOf)),
      );
    case 'not':
      return list('not', [printClause(clause.of, nameOf)]);
    case 'ids':
      return list('ids', [String(clause.ids.length)]);
    case 'updated':
      return list('updated', printEnds(clause.at, clause.at));
    case 'terms':
      return list('terms', [nameOf(clause.index), String(clause.values.length)]);
    case 'prefix':
      return list('prefix', [nameOf(clause.index)]);
    case 'string':
      return list(clause.how, [nameOf(clause.index)]);
    case 'words':
      return list('words', [nameOf(clause.index), String(clause.phrases.length)]);
    case 'range':
      return list('range', [nameOf(clause.index), ...printEnds(clause.low, clause.high)]);
    case 'tuple':
      return list('tuple', [nameOf(clause.index), ...clause.of.map(part => printClause(part, nameOf))]);
    default:
      return clause satisfies never;
  }
}

const list = (name: string, parts: readonly string[]): string => `(${[name, ...parts].join(' ')})`;

/** The ends that an interval has. */
function printEnds(low: Interval, high: Interval): readonly string[] {
  return [
    ...(low.min === -Infinity && high.min === -Infinity ? [] : ['from']),
    ...(low.max === Infinity && high.max === Infinity ? [] : ['to']),
  ];
}
