import type { Phrase } from '../indexing/words.ts';
import type { ResourceType, SearchParam } from '../model/model.ts';
import type { Position as Coordinates } from '../fhir/position.ts';
import type { Codes } from '../terminology/expansion.ts';

/** The meaning of a search, independent of any store: a closed union with one `switch` in each consumer. */
export type Query =
  | { readonly kind: 'all' }
  | { readonly kind: 'and'; readonly of: readonly Query[] }
  | { readonly kind: 'or'; readonly of: readonly Query[] }
  /** Set complement: `:not` keeps resources that lack the element. */
  | { readonly kind: 'not'; readonly of: Query }
  | { readonly kind: 'id'; readonly anyOf: readonly string[] }
  /** meta.lastUpdated, in whole milliseconds like the bounds; all bounds must match. */
  | { readonly kind: 'lastUpdated'; readonly bounds: readonly Bound[] }
  /**
   * The record belongs to a compartment: that of the record of type `compartment` with this id, in the partition at
   * `base`. `of` are the parameters that link it (`access-link`), at least one.
   */
  | {
      readonly kind: 'owner';
      readonly compartment: string;
      readonly id: string;
      readonly base: string;
      readonly of: readonly SearchParam[];
    }
  /** An entry of this parameter matches. */
  | { readonly kind: 'param'; readonly param: SearchParam; readonly test: Test }
  /** An entry of this parameter exists: `:missing=false`; its complement is `:missing=true`. */
  | { readonly kind: 'present'; readonly param: SearchParam }
  | EntryQuery
  | Chain
  | Inside
  | Has
  | Tree
  | Contained;

/**
 * An entry of this parameter passes a test that stores do not support: interaction/search/ evaluates it on candidates.
 * Comparisons of `_filter` (https://hl7.org/fhir/R4/search_filter.html#ops), and distances.
 */
export interface EntryQuery {
  readonly kind: 'entry';
  readonly param: SearchParam;
  readonly test: EntryTest;
}

/** `equals` and `ends` compare folded strings. */
export type EntryTest =
  | { readonly kind: 'equals'; readonly text: string }
  | { readonly kind: 'ends'; readonly text: string }
  | { readonly kind: 'uriPart'; readonly how: 'starts' | 'contains' | 'ends'; readonly text: string }
  /** A position within this distance in metres of another (fhir/position.ts). */
  | { readonly kind: 'near'; readonly position: Coordinates; readonly distance: number }
  /** The entry passes none of these tests. */
  | { readonly kind: 'unequal'; readonly of: readonly (Test | EntryTest)[] };

/**
 * A reference of this parameter of the type `from` identifies a matching resource of the type, which is open to the
 * caller (`within`), or one inside of the record. A canonical identifies the resource with its URL and version, without
 * a version all with its URL and the one at this address. https://hl7.org/fhir/R4/search.html#chaining
 */
export interface Chain {
  readonly kind: 'chain';
  readonly from: ResourceType;
  readonly param: SearchParam;
  readonly type: ResourceType;
  readonly of: Query;
  /** The access to resources of the type; undefined: to all. It does not concern those inside of the record. */
  readonly within?: Query | undefined;
}

/**
 * A value of this parameter of the type `from` is a matching resource of the type inside of the record: a reference to
 * a contained resource, or the resource itself, such as the first of a document. Its access is that of the record.
 * https://hl7.org/fhir/R4/search.html#contained, https://hl7.org/fhir/R4/bundle.html#search
 */
export interface Inside {
  readonly kind: 'inside';
  readonly from: ResourceType;
  readonly param: SearchParam;
  readonly type: ResourceType;
  readonly of: Query;
}

/**
 * A resource of the type matches and refers by its parameter to this one, of the type `target`; also one that is
 * contained in a record of one of the types `containers`. https://hl7.org/fhir/R4/search.html#has
 */
export interface Has {
  readonly kind: 'has';
  readonly target: ResourceType;
  readonly type: ResourceType;
  readonly param: SearchParam;
  readonly of: Query;
  /** The access to resources of the type; undefined: to all. */
  readonly within?: Query | undefined;
  readonly containers: readonly Container[];
}

/** A type of records that may contain others, and the access to its records; undefined: to all. */
export interface Container {
  readonly type: ResourceType;
  readonly within?: Query | undefined;
}

/**
 * A reference of this parameter identifies the resource of the type with this id, or one below or above it: references
 * of `by` lead from a resource to the one above it. Only resources that match `of` are followed.
 * https://hl7.org/fhir/R4/search.html#reference
 */
export interface Tree {
  readonly kind: 'tree';
  readonly param: SearchParam;
  readonly type: ResourceType;
  readonly by: SearchParam;
  readonly how: 'above' | 'below';
  readonly id: string;
  readonly of: Query;
}

/**
 * A contained resource of the type matches. `param` has the types of the contained resources.
 * https://hl7.org/fhir/R4/search.html#contained
 */
export interface Contained {
  readonly kind: 'contained';
  readonly param: SearchParam;
  readonly type: ResourceType;
  readonly of: Query;
}

/** A test of another resource. Stores do not support it: interaction/search/ replaces it by its results. */
export type Join = Chain | Inside | Has | Tree;

/** `system`: undefined any, null none. `code` as the client wrote it. */
export interface TokenTest {
  readonly kind: 'token';
  readonly system?: string | null;
  readonly code?: string;
}

export type Test =
  | { readonly kind: 'string'; readonly how: 'starts' | 'contains' | 'exact'; readonly text: string }
  /** The words of the parameter have each of these phrases, at least one. */
  | { readonly kind: 'words'; readonly phrases: readonly Phrase[] }
  /** The code is folded when it is compared to a case-insensitive entry. */
  | TokenTest
  /** A code that none of these tests passes: all of them name a code, and either all a system (or none) or none. */
  | { readonly kind: 'otherCode'; readonly of: readonly TokenTest[] }
  /** One of these codes with its system. `of` is the set: a value set, or a `system|code` with those above or below. */
  | { readonly kind: 'codes'; readonly how: 'in' | 'above' | 'below'; readonly of: string; readonly codes: Codes }
  /** All bounds match one entry. */
  | { readonly kind: 'range'; readonly bounds: readonly Bound[] }
  /**
   * `unit`: the code or the unit; `system` then belongs to the code. With `canonical`, the base units of the bounds
   * (fhir/canonical-unit.ts), entries are compared by their canonical form, and there is neither of the two.
   */
  | {
      readonly kind: 'quantity';
      readonly bounds: readonly Bound[];
      readonly system?: string;
      readonly unit?: string;
      readonly canonical?: string;
    }
  /**
   * Either `id` with `type` (parse fills the type in from the targets), or `url`, with `version` for a canonical, and
   * `below` for the versions that begin with it (`2` for `2.1`). A record of this server may be named by a relative
   * reference, or by `{base}/{type}/{id}` where `base` is given.
   */
  | {
      readonly kind: 'reference';
      readonly type?: string;
      readonly id?: string;
      /** `{publicUrl}/r4/{partition}`: references below it are the same as relative ones. */
      readonly base?: string;
      readonly url?: string;
      readonly version?: string;
      readonly below?: true;
    }
  /**
   * A reference to one of these resources of a type, or one of these canonicals, with just this version; an empty
   * version is that of a canonical without one.
   */
  | {
      readonly kind: 'references';
      readonly type: string;
      readonly ids: readonly string[];
      readonly canonicals: readonly { readonly url: string; readonly version: string }[];
      /** The base URL, as above. */
      readonly base: string;
    }
  /**
   * A URI, or the URL of a canonical. Without `tree` the same; `below`: it or one below it, `above`: it or one above it
   * (fhir/uri-tree.ts), `starts`: one that begins with it.
   */
  | { readonly kind: 'uri'; readonly uri: string; readonly tree?: 'below' | 'above' | 'starts' }
  /** All match one tuple, in the order of the components. */
  | { readonly kind: 'composite'; readonly of: readonly Test[] };

/** A comparison with one end of an entry. Strings (starts, contains) are already folded. */
export interface Bound {
  readonly end: 'low' | 'high';
  readonly is: '<' | '<=' | '>' | '>=';
  readonly value: number;
}

/** A sort key. `default` is the type's sort date, newest first (lastUpdated if it has none). */
export type Sort =
  | { readonly by: 'default'; readonly descending: true }
  | { readonly by: 'id' | 'lastUpdated'; readonly descending: boolean }
  /** Sorts by relevance for a full-text search (score.ts): ascending, the least relevant are first. */
  | { readonly by: 'score'; readonly of: Query; readonly descending: boolean }
  /**
   * Sorts by a parameter (sort-value.ts): of several values the lowest ascending, the highest descending; records
   * without a value are last.
   */
  | { readonly by: 'param'; readonly param: SearchParam; readonly descending: boolean };

/**
 * The end of a page: the sort values of its last resource (null: missing) and its id. Ties are ordered by id, in the
 * direction of the last key.
 */
export interface Position {
  readonly keys: readonly (number | string | null)[];
  readonly id: string;
}
