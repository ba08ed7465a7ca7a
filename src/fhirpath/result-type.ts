import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** The type of an expression's results, if the definitions determine it. */
export interface ResultType {
  /** FHIR type code: `CodeableConcept`, `dateTime`, `BackboneElement`; `boolean` for a comparison. */
  readonly code: string;
  /** Its children; undefined if they are unknown (a type that the interpreter found). */
  readonly definition: TypeDefinition | undefined;
  /** Its element; undefined for a resource and for a computed value. */
  readonly element: ElementDefinition | undefined;
  /** From the root: `Observation.component.value`. */
  readonly path: string;
  /** True if one resource may have several. */
  readonly many: boolean;
}

/** Receives one result; a primitive is at `parent[key]`. */
export type Receive = (value: unknown, parent: object, key: string | number) => void;

/**
 * Returns the receiver of the values of a type; undefined if they are not needed, so that they are not even looked up.
 */
export type Choose = (type: ResultType) => Receive | undefined;

/** A test of a value; undefined represents FHIRPath's empty result. */
export type Predicate = (value: unknown, parent: object, key: string | number) => boolean | undefined;

/** The type of a whole resource, or of a data type without a parent. */
export const rootType = (definition: TypeDefinition): ResultType => ({
  code: definition.name,
  definition,
  element: undefined,
  path: definition.name,
  many: false,
});

/** The result of a comparison. */
export const computedBoolean: ResultType = {
  code: 'boolean',
  definition: undefined,
  element: undefined,
  path: '',
  many: false,
};

/** True if the type is the other or derived from it. https://hl7.org/fhir/R4/fhirpath.html#types */
export function isA(code: string, ancestor: string, definitions: TypeDefinitions): boolean {
  for (let name: string | undefined = code; name !== undefined; name = definitions.get(name)?.base) {
    if (name === ancestor) return true;
  }
  return false;
}
