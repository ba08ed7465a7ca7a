/**
 * The index entries of a resource: one per value and parameter. Both stores persist these and the in-memory evaluator
 * reads them, so a value is normalized once, at extraction.
 */
export interface IndexEntry {
  /** Code of the parameter. */
  readonly param: string;
  readonly value: IndexValue;
}

export type IndexValue =
  | TokenValue
  | StringValue
  | WordsValue
  | ReferenceValue
  | UriValue
  | RangeValue
  | QuantityValue
  | CompositeValue
  | UnsearchableValue;

/**
 * The parameter has values, none of which has an entry, such as a reference to a contained resource or a quantity
 * without a number: the element is not missing. https://hl7.org/fhir/R4/search.html#modifiers
 */
export interface UnsearchableValue {
  readonly kind: 'unsearchable';
}

/** A code in a system. https://hl7.org/fhir/R4/search.html#token */
export interface TokenValue {
  readonly kind: 'token';
  readonly system: string | undefined;
  /** Folded to lower case unless `caseSensitive`. Absent for a coding with a system only. */
  readonly code: string | undefined;
  readonly caseSensitive: boolean;
  /** The display of a Coding, as written; no search reads it, but codes are sorted by it. */
  readonly display?: string;
}

/** https://hl7.org/fhir/R4/search.html#string */
export interface StringValue {
  readonly kind: 'string';
  /** The text as written, for `:exact`. */
  readonly text: string;
  /** Case, accents, punctuation and runs of white space folded (indexing/normalize.ts), for all others. */
  readonly folded: string;
}

/** All words of a parameter's texts, for full-text search: a resource has one such entry at most. */
export interface WordsValue {
  readonly kind: 'words';
  /** Folded words in their order, each between spaces; `.` between two texts (indexing/words.ts). */
  readonly text: string;
}

/** Has either `id` (with `type`) or `url`. https://hl7.org/fhir/R4/search.html#reference */
export interface ReferenceValue {
  readonly kind: 'reference';
  readonly type: string | undefined;
  readonly id: string | undefined;
  /**
   * An absolute URL, a urn, or a canonical as written, without its version: relative canonicals, and `#fragment`, too.
   * A search decides whether a URL is on this server (search/ast.ts).
   */
  readonly url: string | undefined;
  /** The version of a canonical, empty without one; undefined for all other references. */
  readonly version: string | undefined;
}

/** https://hl7.org/fhir/R4/search.html#uri */
export interface UriValue {
  readonly kind: 'uri';
  readonly uri: string;
}

/**
 * A date as [low, high) in milliseconds since 1970 UTC, with a fraction if it is finer, open ends as MIN_TIME and
 * MAX_TIME (fhir/instant-range.ts); or a number with low = high, a Range with its two ends.
 * https://hl7.org/fhir/R4/search.html#date
 */
export interface RangeValue {
  readonly kind: 'date' | 'number';
  readonly low: number;
  readonly high: number;
}

/** https://hl7.org/fhir/R4/search.html#quantity */
export interface QuantityValue {
  readonly kind: 'quantity';
  readonly low: number;
  readonly high: number;
  readonly system: string | undefined;
  readonly code: string | undefined;
  readonly unit: string | undefined;
  /** The value in base units (fhir/canonical-unit.ts), if it has a UCUM unit with such. */
  readonly canonical: CanonicalRange | undefined;
}

export interface CanonicalRange {
  readonly unit: string;
  readonly low: number;
  readonly high: number;
}

/**
 * One tuple: for each component its values (a CodeableConcept has several codings).
 * https://hl7.org/fhir/R4/search.html#composite
 */
export interface CompositeValue {
  readonly kind: 'composite';
  readonly of: readonly (readonly Exclude<IndexValue, CompositeValue | UnsearchableValue>[])[];
}
