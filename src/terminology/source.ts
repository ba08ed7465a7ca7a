import type { JsonObject } from '../fhir/json-object.ts';

/**
 * The types of resources that the terminology service reads: profiles contain ValueSets and bind elements to them.
 * https://hl7.org/fhir/R4/terminology-module.html
 */
export type TerminologyType = 'CodeSystem' | 'ValueSet' | 'ConceptMap' | 'StructureDefinition';

/**
 * A resource of a source. It never changes: a changed resource is another object. What is compiled of it is cached by
 * this identity, so that sources that have it in common share that.
 */
export interface TerminologyResource {
  /** Canonical, without version. */
  readonly url: string;
  readonly version: string | undefined;
  /** Reads and parses the resource; callers keep no more of it than they need. */
  resource(): JsonObject;
}

/**
 * One state of the definitions of a partition: shipped ones, with those above them that clients stored. It never
 * changes: a write makes another source. All caches belong to a source or to a resource, so that no answer comes from
 * an earlier state.
 */
export interface TerminologySource {
  /**
   * The resource of a canonical: of the version that it names, else of the one that applies without a version.
   * https://hl7.org/fhir/R4/references.html#canonical
   */
  find(type: TerminologyType, canonical: string): TerminologyResource | undefined;
  /** All versions of a url, the one that applies without a version first, then from the newest to the oldest. */
  versions(type: TerminologyType, url: string): readonly TerminologyResource[];
  /** One resource for each url and version. */
  all(type: TerminologyType): readonly TerminologyResource[];
}
