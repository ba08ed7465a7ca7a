import type { Definitions } from '../../../definitions/definitions.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';

/** What a ValueSet states about one of its codes. */
export interface StatedCode {
  readonly display: string | undefined;
  readonly designations: readonly JsonObject[];
}

export const keyOf = (system: string, code: string): string => JSON.stringify([system, code]);

/**
 * The displays and designations that a ValueSet states itself, or those that it includes, by `keyOf`: in its compose,
 * and in a published expansion.
 * https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.compose.include.concept.display
 */
export function displaysIn(
  valueSet: JsonObject,
  definitions: Pick<Definitions, 'find'>,
): ReadonlyMap<string, StatedCode> {
  const found = new Map<string, StatedCode>();
  const seen = new Set<string>();
  const add = (system: unknown, one: JsonObject): void => {
    const key = keyOf(String(system), String(one['code']));
    const display = asString(one['display']);
    const designations = objectsOf(one['designation']);
    if (!found.has(key) && (display !== undefined || designations.length > 0))
      found.set(key, { display, designations });
  };
  const readExpansion = (list: unknown): void => {
    for (const one of objectsOf(list)) {
      add(one['system'], one);
      readExpansion(one['contains']);
    }
  };
  const read = (one: JsonObject): void => {
    const includes = objectsOf(asObject(one['compose'])['include']);
    for (const { system, concept } of includes) for (const listed of objectsOf(concept)) add(system, listed);
    readExpansion(asObject(one['expansion'])['contains']);
    for (const canonical of includes.flatMap(include => stringsOf(include['valueSet']))) {
      const definition = seen.has(canonical) ? undefined : definitions.find('ValueSet', canonical);
      seen.add(canonical);
      if (definition !== undefined) read(definition.resource());
    }
  };
  read(valueSet);
  return found;
}
