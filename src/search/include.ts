import type { ResourceType, SearchParam } from '../model/model.ts';

/** A request for records in addition to the matches. https://hl7.org/fhir/R4/search.html#revinclude */
export interface Include {
  /** The text that the client wrote: `_include=Observation:subject`. */
  readonly written: string;
  /** True for records that refer to the matches, false for those that the matches refer to. */
  readonly reverse: boolean;
  /** Also applied to included records. */
  readonly iterate: boolean;
  /** True if `*` selects several parameters. */
  readonly wildcard: boolean;
  readonly links: readonly IncludeLink[];
  /** The required type of references; undefined for any. */
  readonly target: string | undefined;
}

/** The references of a type by a parameter. */
export interface IncludeLink {
  readonly type: ResourceType;
  readonly param: SearchParam;
}
