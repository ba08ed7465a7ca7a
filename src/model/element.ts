/**
 * The element tree of a type, compiled from the snapshot of its StructureDefinition, for structure checks, `_summary`
 * and the FHIRPath compiler. https://hl7.org/fhir/R4/elementdefinition.html
 */
export interface TypeDefinition {
  /** `Patient`, `HumanName`, `string`. */
  readonly name: string;
  readonly kind: 'resource' | 'complex-type' | 'primitive-type';
  readonly abstract: boolean;
  /** Name of the type that it specializes: `DomainResource`, `Element`, `uri` for `canonical`. */
  readonly base: string | undefined;
  /** Children by JSON property name: a choice `value[x]` has one for each type, such as `valueQuantity`. */
  readonly properties: ReadonlyMap<string, Property>;
  /** Children by element name, choices under their bare name (`value`), in the order of the definition. */
  readonly elements: ReadonlyMap<string, ElementDefinition>;
}

export interface ElementDefinition {
  /** `Observation.value[x]`. */
  readonly path: string;
  /** The name without `[x]`. */
  readonly name: string;
  readonly choice: boolean;
  readonly min: number;
  /** Infinity for `*`. */
  readonly max: number;
  readonly summary: boolean;
  readonly modifier: boolean;
  /** True if it is an attribute in XML. https://hl7.org/fhir/R4/xml.html */
  readonly attribute: boolean;
  readonly types: readonly ElementType[];
  readonly binding?: {
    readonly strength: 'required' | 'extensible' | 'preferred' | 'example';
    readonly valueSet: string;
  };
}

export interface ElementType {
  /** FHIR type code (`Quantity`, `string`, `Resource`); for a nested backbone its own definition is in `content`. */
  readonly code: string;
  /** JSON property of this choice: `valueQuantity`; the element name if it is not a choice. */
  readonly property: string;
  /** The resource types that a Reference or canonical may point to; empty means any. */
  readonly targets: readonly string[];
  /** Children of a backbone element, also of the element that a contentReference names. */
  readonly content?: TypeDefinition;
}

/** One JSON property: its element and its type. */
export interface Property {
  readonly element: ElementDefinition;
  readonly type: ElementType;
}

/** Finds type definitions by name: every R4 resource, data type and primitive. */
export interface TypeDefinitions {
  get(name: string): TypeDefinition | undefined;
  /** Names of all concrete resource types of R4, declared or not. */
  readonly resourceTypes: ReadonlySet<string>;
}
