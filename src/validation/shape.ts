import { type Primitive, primitives } from '../fhir/primitive.ts';
import type { ElementDefinition, ElementType, TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** A type as the structure check needs it: one look-up per property, and the required elements. */
export interface Shape {
  /** The type name, or the path of a backbone element. */
  readonly name: string;
  readonly definition: TypeDefinition;
  /** The fields by JSON property, the `_` siblings of primitives among them. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly required: readonly RequiredElement[];
}

/** One JSON property of a type. */
export interface Field {
  readonly element: ElementDefinition;
  /** The name of the element in FHIRPath, without the type of a choice. */
  readonly name: string;
  readonly property: string;
  readonly sibling: boolean;
  /** True where the value is an array. */
  readonly many: boolean;
  /** The kind of value: a primitive type, an object of a shape, or a resource that names its own type. */
  readonly primitive: Primitive | undefined;
  readonly resource: boolean;
  /** The shape of an object, compiled at its first use. */
  shape(): Shape;
}

interface RequiredElement {
  readonly element: ElementDefinition;
  /** The properties; one is required, and siblings count. */
  readonly properties: readonly string[];
}

/** Shapes of all types of a set of definitions, compiled at their first use, and cached with the definitions. */
export interface Shapes {
  /** The shape of a type; throws Error if the definitions lack it. */
  byName(name: string): Shape;
}

export function shapesOf(definitions: TypeDefinitions): Shapes {
  let shapes = kept.get(definitions);
  if (shapes === undefined) {
    shapes = compileShapes(definitions);
    kept.set(definitions, shapes);
  }
  return shapes;
}

const kept = new WeakMap<TypeDefinitions, Shapes>();

function compileShapes(definitions: TypeDefinitions): Shapes {
  const compiled = new Map<TypeDefinition, Shape>();
  const byName = (name: string): Shape => {
    const definition = definitions.get(name);
    if (definition === undefined) throw new Error(`The definitions lack the type ${name}`);
    return byDefinition(definition);
  };
  const byDefinition = (definition: TypeDefinition): Shape => {
    const known = compiled.get(definition);
    if (known !== undefined) return known;
    const shape = compileShape(definition);
    compiled.set(definition, shape);
    return shape;
  };

  function compileShape(definition: TypeDefinition): Shape {
    const fields = new Map<string, Field>();
    for (const [property, { element, type }] of definition.properties) {
      const field = compileField(element, type);
      fields.set(property, field);
      // Resource.id may carry extensions, Element.id is an attribute and may not.
      const attribute = element.name === 'id' && definition.kind !== 'resource';
      if (field.primitive !== undefined && !attribute) {
        const sibling = { ...field, property: `_${property}`, sibling: true, shape: () => byName('Element') };
        fields.set(sibling.property, sibling);
      }
    }
    const required = [...definition.elements.values()]
      .filter(element => element.min > 0)
      .map(element => ({ element, properties: element.types.flatMap(({ property }) => [property, `_${property}`]) }));
    return { name: definition.name, definition, fields, required };
  }

  function compileField(element: ElementDefinition, type: ElementType): Field {
    const primitive = type.content === undefined ? primitives.get(type.code) : undefined;
    const { content } = type;
    let shape: Shape | undefined;
    return {
      element,
      name: element.name,
      property: type.property,
      sibling: false,
      many: element.max > 1,
      primitive,
      resource: primitive === undefined && content === undefined && definitions.get(type.code)?.kind === 'resource',
      shape: () => (shape ??= content === undefined ? byName(type.code) : byDefinition(content)),
    };
  }

  return { byName };
}
