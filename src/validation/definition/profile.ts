import type { Definition } from '../../definitions/definition.ts';
import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { FindSnapshot } from '../../model/snapshot/snapshot.ts';

/** The definitions that profiles are checked against. */
export interface Loaded {
  readonly types: TypeDefinitions;
  readonly snapshots: FindSnapshot;
  /** Whether a definition of a kind is loaded, by canonical. */
  has(resourceType: string, canonical: string): boolean;
  /** The urls of loaded definitions of a kind, for suggestions. */
  urls(resourceType: string): readonly string[];
}

/** One ElementDefinition as its author wrote it. https://hl7.org/fhir/R4/elementdefinition.html */
export interface WrittenElement {
  /** Its id; the path and the slice name if it has none. */
  readonly id: string;
  readonly path: string;
  readonly json: JsonObject;
  /** The element merged with its base, from the snapshot. Undefined if the snapshot lacks it. */
  readonly merged: JsonObject | undefined;
  /** JSON path in the StructureDefinition: `differential.element[3]`. */
  readonly at: string;
}

/**
 * A mistake in a profile; `undecided` if definitions or software that are not loaded could make it right, or if the
 * profile can be applied nevertheless: then it is a warning.
 */
export interface Finding {
  /** JSON path in the StructureDefinition. */
  readonly path: string;
  /** A whole sentence that names the element by its id. */
  readonly text: string;
  readonly undecided: boolean;
}

/** Adds a finding about an element: its place below the element, and the sentence after the element's id. */
export type ReportFinding = (element: WrittenElement, below: string, text: string, undecided?: boolean) => void;

/**
 * The elements of a profile: those of its snapshot, else those of its differential.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export function writtenElements(structure: JsonObject, merged: readonly JsonObject[]): readonly WrittenElement[] {
  const byId = new Map(merged.map(element => [asString(element['id']) ?? '', element]));
  const published = objectsOf(asObject(structure['snapshot'])['element']);
  const list = published.length > 0 ? 'snapshot' : 'differential';
  const elements = published.length > 0 ? published : objectsOf(asObject(structure['differential'])['element']);
  return elements.map((json, index) => {
    const path = asString(json['path']) ?? '';
    const slice = asString(json['sliceName']);
    const id = asString(json['id']) ?? (slice === undefined ? path : `${path}:${slice}`);
    return { id, path, json, merged: byId.get(id), at: `${list}.element[${index}]` };
  });
}

/** True for a single file, which its author can correct. */
export const isPlain = ({ core, package: from }: Definition): boolean => !core && from === undefined;
