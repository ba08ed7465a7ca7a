import type { ResourceType, SearchParam } from '../model/model.ts';

/** Which records an answer contains beside the matches. https://hl7.org/fhir/R4/search.html#revinclude */
export interface Include {
  /** As the client wrote it: `_include=Observation:subject`. */
  readonly written: string;
  /** Records that refer to those at hand, instead of those that they refer to. */
  readonly reverse: boolean;
  /** Also of records that were included. */
  readonly iterate: boolean;
  /** A `*` stands for several parameters. */
  readonly wildcard: boolean;
  readonly links: readonly Link[];
  /** The type that references must lead to; undefined for any. */
  readonly target: string | undefined;
}

/** The references of a type by a parameter. */
export interface Link {
  readonly type: ResourceType;
  readonly param: SearchParam;
}
