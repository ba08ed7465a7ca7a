import type { Issue } from '../fhir/outcome.ts';
import type { ResourceType } from '../model/model.ts';
import type { Position, Query, Sort } from './ast.ts';
import type { Include } from './include.ts';

/** One name=value of a query or a form, decoded, in the order in which they came. */
export type QueryPair = readonly [name: string, value: string];

/** A search, understood. */
export interface SearchRequest {
  readonly type: ResourceType;
  readonly query: Query;
  readonly sort: readonly Sort[];
  /** Matches on a page; 0 means the count alone. */
  readonly count: number;
  readonly after: Position | undefined;
  readonly summary: 'true' | 'text' | 'data' | 'count' | 'false';
  /** Element names asked for by `_elements`; undefined all. */
  readonly elements: readonly string[] | undefined;
  readonly includes: readonly Include[];
  readonly total: 'none' | 'estimate' | 'accurate';
  /** What the self link shows: `used`, or on a later page the token that it was asked with. */
  readonly self: readonly QueryPair[];
  /** When the search was first asked, in milliseconds since 1970 UTC: `ap` is reckoned from it on every page. */
  readonly at: number;
  /** What was used, for the cursor: ignored parameters are not in it, `_count` is as applied. */
  readonly used: readonly QueryPair[];
  /** What was ignored and why (lenient handling): becomes an `outcome` entry. */
  readonly warnings: readonly Issue[];
}
