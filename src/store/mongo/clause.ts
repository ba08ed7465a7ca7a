import type { Filter } from 'mongodb';
import type { Interval } from '../interval.ts';
import type { ResourceDocument } from './layout.ts';

/** A query with its parameters resolved to fields of the documents of one partition. */
export type Clause =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Clause[] }
  | { readonly kind: 'not'; readonly of: Clause }
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** lastUpdated, in milliseconds since 1970 UTC. */
  | { readonly kind: 'updated'; readonly at: Interval }
  | TermsClause
  | StringClause
  | RangeClause
  /** What is only checked of what other clauses find. */
  | { readonly kind: 'check'; readonly filter: Filter<ResourceDocument> };

/** Has one of these terms, given whole; `code`: of the parameter or pair, undefined where they are of several. */
export interface TermsClause {
  readonly kind: 'terms';
  readonly code: string | undefined;
  readonly terms: readonly string[];
}

/** A string that begins with this, given whole as it is kept; or one of those that contains the text. */
export interface StringClause {
  readonly kind: 'string';
  readonly start: string;
  readonly contains?: string;
}

/** An entry with both ends inside. */
export interface RangeClause {
  readonly kind: 'range';
  readonly field: 'd' | 'n';
  readonly code: string;
  /** The keys (names.ts) of entries that are as wide as usual, and of wide ones. */
  readonly keys: { readonly narrow: string; readonly wide: string };
  /** All keys that begin so. */
  readonly prefix: boolean;
  readonly low: Interval;
  readonly high: Interval;
  /** The most that is usual. */
  readonly width: number;
  /** A resource has at most one entry. */
  readonly single: boolean;
}

/** Matches all; `not` of it, and an `or` of nothing, matches none. */
export const all: Clause = { kind: 'and', of: [] };
export const none: Clause = { kind: 'or', of: [] };

export function isNone(clause: Clause): boolean {
  return clause.kind === 'or' && clause.of.length === 0;
}

/** The parts that all must hold. */
export function partsOf(clause: Clause): readonly Clause[] {
  return clause.kind === 'and' ? clause.of : [clause];
}
