import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** What an expression yields, as far as the definitions tell. */
export interface ResultType {
  /** FHIR type code: `CodeableConcept`, `dateTime`, `BackboneElement`; `boolean` for a comparison. */
  readonly code: string;
  /** Its children; undefined where they are not known (a type found by the interpreter). */
  readonly definition: TypeDefinition | undefined;
  /** The element that it is; undefined for a resource and for what was computed. */
  readonly element: ElementDefinition | undefined;
  /** From the root on: `Observation.component.value`. */
  readonly path: string;
  /** True where one resource may hold several. */
  readonly many: boolean;
}

/** Takes one value that an expression yields; a primitive stands at `parent[key]`. */
export type Receive = (value: unknown, parent: object, key: string | number) => void;

/** Says what takes the values of a type; undefined where nobody wants them, so that they are not even looked for. */
export type Choose = (type: ResultType) => Receive | undefined;

/** Decides about a value; undefined stands for FHIRPath's empty result. */
export type Predicate = (value: unknown, parent: object, key: string | number) => boolean | undefined;

/** The type of a whole resource, or of a data type that stands alone. */
export const rootType = (definition: TypeDefinition): ResultType => ({
  code: definition.name,
  definition,
  element: undefined,
  path: definition.name,
  many: false,
});

/** What a comparison yields. */
export const computedBoolean: ResultType = {
  code: 'boolean',
  definition: undefined,
  element: undefined,
  path: '',
  many: false,
};

/** True where the type is the other or one derived from it. https://hl7.org/fhir/R4/fhirpath.html#types */
export function isA(code: string, ancestor: string, definitions: TypeDefinitions): boolean {
  for (let name: string | undefined = code; name !== undefined; name = definitions.get(name)?.base) {
    if (name === ancestor) return true;
  }
  return false;
}
