import type { JsonObject } from '../../fhir/json-object.ts';

/** The StructureDefinition that a check comes from. */
export interface ProfileSource {
  /** The canonical that findings show. */
  readonly url: string;
  /** The id of one of its elements, or its path where it has none. */
  id(element: JsonObject): string;
}

export const sourceOf = (url: string): ProfileSource => ({
  url,
  id: element => String(element['id'] ?? element['path']),
});
