import type { ElementDefinition, ElementType, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** A possible type of values; `definition` has its elements, and is undefined if they are unknown. */
export interface KnownType {
  /** FHIR type code: `CodeableConcept`, `dateTime`, `BackboneElement`; `boolean` for a comparison. */
  readonly code: string;
  readonly definition: TypeDefinition | undefined;
}

/** The type of an expression's results. */
export interface ResultType extends KnownType {
  /** Its element; undefined for a resource and for a computed value. */
  readonly element: ElementDefinition | undefined;
  /** From the root: `Observation.component.value`. */
  readonly path: string;
  /** True if one resource may have several. */
  readonly many: boolean;
}

/** The type of a whole resource, or of a data type without a parent. */
export const rootType = (definition: TypeDefinition): ResultType => resultType(definition.name, definition);

/** The type of values that are no elements: a root, or a computed value without a definition. */
export const resultType = (code: string, definition?: TypeDefinition): ResultType => ({
  code,
  definition,
  element: undefined,
  path: definition === undefined ? '' : code,
  many: false,
});

/** The result of a comparison. */
export const computedBoolean: ResultType = resultType('boolean');

/** One of the types of an element of `owner`. */
export const childType = (
  owner: ResultType,
  element: ElementDefinition,
  { code, content }: ElementType,
  definitions: TypeDefinitions,
): ResultType => ({
  code,
  definition: content ?? definitions.get(code),
  element,
  path: `${owner.path}.${element.name}`,
  many: owner.many || element.max > 1,
});

/** The choice that a JSON name such as `valueQuantity` belongs to: published expressions have such names. */
export function choiceByProperty(definition: TypeDefinition | undefined, name: string): ElementDefinition | undefined {
  const element = definition?.properties.get(name)?.element;
  return element?.choice === true ? element : undefined;
}

/**
 * What `ofType` keeps of a type: the type itself, or the named resource type if only the value has it (of `Resource`);
 * undefined if no value of the type is kept.
 */
export function narrowed(type: ResultType, code: string, definitions: TypeDefinitions): ResultType | undefined {
  if (isA(type.code, code, definitions)) return type;
  const definition = definitions.get(code);
  if (definition?.kind !== 'resource' || !isA(code, type.code, definitions)) return undefined;
  return { ...type, code, definition };
}

/** True if the type is the other or derived from it. https://hl7.org/fhir/R4/fhirpath.html#types */
export function isA(code: string, ancestor: string, definitions: TypeDefinitions): boolean {
  for (let name: string | undefined = code; name !== undefined; name = definitions.get(name)?.base) {
    if (name === ancestor) return true;
  }
  return false;
}
