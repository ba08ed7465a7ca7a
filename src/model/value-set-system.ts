import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/**
 * The code system of all codes of a ValueSet; undefined if it includes several, or other value sets. A `code` element
 * that is bound to it has this system implicitly. https://hl7.org/fhir/R4/search.html#token
 */
export function valueSetSystem(valueSet: JsonObject): string | undefined {
  const includes = objectsOf(asObject(valueSet['compose'])['include']);
  const systems = new Set(
    includes.map(include => (include['valueSet'] === undefined ? asString(include['system']) : undefined)),
  );
  return systems.size === 1 ? [...systems][0] : undefined;
}
