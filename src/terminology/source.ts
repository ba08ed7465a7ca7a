import { parseCanonical } from '../fhir/reference.ts';
import { asString } from '../fhir/json-object.ts';
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
  /** The id of a record of the partition; undefined for a loaded definition. */
  readonly id?: string;
  /** True for a resource of the R4 packs. */
  readonly core?: boolean;
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

/**
 * A source without the versions of definitions that are newer than a date (dateTime of FHIR), by the `date` that they
 * state. https://hl7.org/fhir/R4/valueset-operation-expand.html
 */
export function atDate(source: TerminologySource, date: string): TerminologySource {
  const isThen = (one: TerminologyResource): boolean => {
    const own = asString(one.resource()['date']);
    return own === undefined || own.slice(0, date.length) <= date;
  };
  const versions: TerminologySource['versions'] = (type, url) => source.versions(type, url).filter(isThen);
  return {
    versions,
    find(type, canonical) {
      const { version } = parseCanonical(canonical);
      const found = source.find(type, canonical);
      if (found === undefined || version !== undefined || isThen(found)) return found;
      return versions(type, found.url)[0];
    },
    all: type => source.all(type).filter(isThen),
  };
}

/** The ids of resources, each read once. */
const ids = new WeakMap<TerminologyResource, unknown>();

const idOf = (one: TerminologyResource): unknown => {
  if (!ids.has(one)) ids.set(one, one.resource()['id']);
  return ids.get(one);
};

/** The resource with an id. Most ids end the url, so that few resources are read. */
export function findById(
  source: TerminologySource,
  type: TerminologyType,
  id: string,
): TerminologyResource | undefined {
  const all = source.all(type);
  const likely = all.filter(({ url }) => url.endsWith(`/${id}`)).map(({ url }) => source.find(type, url));
  return likely.find(one => one !== undefined && idOf(one) === id) ?? all.find(one => idOf(one) === id);
}
