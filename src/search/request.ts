import type { Issue } from '../fhir/outcome.ts';
import type { ResourceType } from '../model/model.ts';
import type { Position, Query, Sort } from './ast.ts';
import type { Include } from './include.ts';

/** One name=value of a query or a form, decoded, in the received order. */
export type QueryPair = readonly [name: string, value: string];

/** A search of contained resources of a type. https://hl7.org/fhir/R4/search.html#contained */
export interface ContainedSearch {
  readonly of: 'true' | 'both';
  readonly as: 'container' | 'contained';
  readonly type: ResourceType;
  readonly query: Query;
}

/** A parsed search. */
export interface SearchRequest {
  readonly type: ResourceType;
  readonly query: Query;
  readonly sort: readonly Sort[];
  /** The query of the client, if the type has scores and it searches words: matches have a score then. */
  readonly scored: Query | undefined;
  /** Whether matches with a score show it. */
  readonly scores: boolean;
  /** Matches on a page; 0 returns the count only. */
  readonly count: number;
  /** True if there is one match at most: the first one, and no further page. */
  readonly firstOnly?: boolean;
  readonly after: Position | undefined;
  readonly summary: 'true' | 'text' | 'data' | 'count' | 'false';
  /** Element names of `_elements`; undefined for all. */
  readonly elements: readonly string[] | undefined;
  readonly includes: readonly Include[];
  /** Whether contained resources are searched, alone or too, and whether matches are they or their containers. */
  readonly contained?: ContainedSearch | undefined;
  readonly total: 'none' | 'estimate' | 'accurate';
  /** The parameters of the self link: `used`, or on a later page its token. */
  readonly self: readonly QueryPair[];
  /** The time of the first page, in milliseconds since 1970 UTC, to which `ap` is relative on every page. */
  readonly at: number;
  /** The used parameters, for the cursor: without ignored ones, `_count` as applied. */
  readonly used: readonly QueryPair[];
  /** Ignored parameters with the reasons (lenient handling), for the `outcome` entry. */
  readonly warnings: readonly Issue[];
}
