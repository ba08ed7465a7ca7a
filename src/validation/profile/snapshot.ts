import { isIncomplete, isProfile } from '../../definitions/definition.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/**
 * A StructureDefinition with its snapshot, from which checks are compiled.
 * https://hl7.org/fhir/R4/profiling.html#snapshot
 */
export interface Snapshot {
  readonly url: string;
  /** The FHIR type that it constrains: `Observation`, `Extension`, `Quantity`. */
  readonly type: string;
  readonly elements: readonly JsonObject[];
  /** True if it is marked as differing from the published one. */
  readonly incomplete: boolean;
  /** True for a base type of FHIR itself, false for a profile. */
  readonly specialization: boolean;
  /** The contexts of an extension. https://hl7.org/fhir/R4/defining-extensions.html#context */
  readonly context: readonly { readonly type: string; readonly expression: string }[];
  /** FHIRPath that must be true for the owner of the extension. */
  readonly contextInvariants: readonly string[];
}

/** Finds a StructureDefinition's snapshot by canonical, with or without version; undefined if none is loaded. */
export type FindSnapshot = (canonical: string) => Snapshot | undefined;

/** A StructureDefinition as a snapshot; undefined if it has none. `elements` replaces its own if it is given. */
export function snapshotOf(
  structure: JsonObject,
  elements: readonly JsonObject[] = objectsOf(asObject(structure['snapshot'])['element']),
): Snapshot | undefined {
  const type = asString(structure['type']);
  if (type === undefined || elements.length === 0) return undefined;
  return {
    url: asString(structure['url']) ?? '',
    type,
    elements,
    incomplete: isIncomplete(structure),
    specialization: !isProfile(structure),
    contextInvariants: stringsOf(structure['contextInvariant']),
    context: objectsOf(structure['context']).map(context => ({
      type: asString(context['type']) ?? 'element',
      expression: asString(context['expression']) ?? '',
    })),
  };
}
