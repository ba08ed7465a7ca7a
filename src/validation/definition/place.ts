import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { childrenOf, isMissing, valuesOfType } from './values.ts';
import type { Missing, Values } from './values.ts';

/** The position to which an element path leads in the base types. */
export interface ElementPlace {
  /** The possible values there; undefined if they are unknown. */
  readonly values: Values;
  /** Set if a step of the path does not exist. */
  readonly missing: Missing | undefined;
  /** True for the root of the profile. */
  readonly isRoot: boolean;
}

/**
 * The place of an element path such as `Observation.value[x].coding`.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.path
 */
export function placeOf(path: string, type: string, types: TypeDefinitions): ElementPlace {
  const [root = '', ...names] = path.split('.');
  let values = valuesOfType(type, types);
  if (root !== type) return { values: undefined, missing: { name: root, owners: [], known: [type] }, isRoot: true };
  for (const name of names) {
    const found = childrenOf(values, name, types);
    if (isMissing(found)) return { values: undefined, missing: found, isRoot: false };
    values = found;
  }
  return { values, missing: undefined, isRoot: names.length === 0 };
}

/** The type codes that an element names, FHIRPath's as their FHIR equivalents; undefined if it names none. */
export function codesOf(element: JsonObject | undefined): readonly string[] | undefined {
  const types = objectsOf(element?.['type']);
  if (types.length === 0) return undefined;
  return types.map(({ code, extension }) => {
    const named = objectsOf(extension).find(({ url }) => url === fhirType)?.['valueUrl'];
    return asString(named) ?? asString(code)?.replace(/^http:\/\/hl7\.org\/fhirpath\/System\./, '') ?? '';
  });
}

const fhirType = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
